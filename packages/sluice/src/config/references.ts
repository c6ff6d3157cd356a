import { ConfigError } from './config-error.ts'
import type { Variables } from '@sluice/gateway/settings/settings.ts'

/** The path of a value in the file: names and list positions. */
export type Path = readonly (string | number)[]

const reference = /\$(\$?)\{([A-Za-z_][A-Za-z0-9_]*)(?::-((?:[^}\\]|\\.)*))?\}/g

/**
 * A copy of `value` with `${NAME}` and `${NAME:-default}` references replaced in all strings. An empty variable counts as
 * unset. `$${NAME}` is an escaped `${NAME}`.
 *
 * @throws ConfigError that names the variable and the place (from `where`) of the first unresolved reference.
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
