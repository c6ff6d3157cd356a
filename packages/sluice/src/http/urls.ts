/** A path with `{parameters}` as an expression; a parameter before a verb (`{model}:generateContent`) may hold slashes. */
export function pathPattern(path: string): RegExp {
  const source = path
    .split(/(\{\w+\})/)
    .map((part) => {
      const name = /^\{(\w+)\}$/.exec(part)?.[1]
      return name === undefined ? part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') : `(?<${name}>.+)`
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
