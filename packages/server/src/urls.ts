/** Parameters that may contain slashes: a model name, also as a deployment or with what follows it, and an asset. */
const slashed: ReadonlySet<string> = new Set(['model', 'deployment', 'verb', 'file'])

/** Converts a path with `{parameters}` to a regular expression. */
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

/** The decoded parameters of a path; undefined if it does not match or is badly encoded. */
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
