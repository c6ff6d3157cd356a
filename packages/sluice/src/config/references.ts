import { ConfigError } from './config-error.ts'
import type { Variables } from './env.ts'

/** The way to a value in the file: names and list positions. */
export type Path = readonly (string | number)[]

const reference = /\$(\$?)\{([A-Za-z_][A-Za-z0-9_]*)(?::-((?:[^}\\]|\\.)*))?\}/g

/**
 * A copy of `value` in which every text has its `${NAME}` and `${NAME:-default}` references filled in. An empty
 * variable counts as unset. `$${NAME}` stands for the text `${NAME}`.
 *
 * @throws ConfigError naming the variable and, by `where`, the place of the first reference that cannot be filled.
 */
export function fillReferences(
  value: unknown,
  variables: Variables,
  where: (path: Path) => string,
): unknown {
  return fill(value, [])

  function fill(part: unknown, path: Path): unknown {
    if (typeof part === 'string') return fillText(part, path)
    if (Array.isArray(part)) return part.map((item, index) => fill(item, [...path, index]))
    if (typeof part !== 'object' || part === null) return part
    return Object.fromEntries(
      Object.entries(part).map(([name, item]) => [name, fill(item, [...path, name])]),
    )
  }

  function fillText(text: string, path: Path): string {
    return text.replace(reference, (whole, escaped: string, name: string, fallback?: string) => {
      if (escaped) return whole.slice(1)
      const filled = variables[name] || fallback
      if (filled === undefined)
        throw new ConfigError(
          `${where(path)} needs the environment variable ${name}, which is not set`,
        )
      return filled
    })
  }
}

/** `models.fast.targets[0].weight` */
export function formatPath(path: Path): string {
  return path.reduce<string>(
    (text, step) =>
      typeof step === 'number'
        ? `${text}[${step}]`
        : /^[\w-]+$/.test(step)
          ? `${text}${text === '' ? '' : '.'}${step}`
          : `${text}[${JSON.stringify(step)}]`,
    '',
  )
}
