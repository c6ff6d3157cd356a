/** Parameters that hold slashes: a model's name, and what stands for it with its verb. */
const slashed: ReadonlySet<string> = new Set(['model', 'verb', 'file'])

/** A path with `{parameters}` as an expression; only the name of a model may hold slashes. */
export function pathPattern(path: string): RegExp {
  const source = path
    .split(/(\{\w+\})/)
    .map((part) => {
      const name = /^\{(\w+)\}$/.exec(part)?.[1]
      return name === undefined
        ? part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
        : `(?<${name}>${slashed.has(name) ? '.+' : '[^/]+'})`
    })
    .join('')
  return new RegExp(`^${source}/?$`)
}

/** What stands for the parameters of a path, decoded; undefined when the path is another or is badly encoded. */
export function matchPath(
  pattern: RegExp,
  path: string,
): Readonly<Record<string, string>> | undefined {
  const groups = pattern.exec(path)?.groups
  if (!groups) return pattern.test(path) ? {} : undefined
  try {
    return Object.fromEntries(
      Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)]),
    )
  } catch {
    return undefined
  }
}

/** Without the query. */
export function pathOf(url: string): string {
  const end = url.indexOf('?')
  return end < 0 ? url : url.slice(0, end)
}
