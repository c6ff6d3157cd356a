import type { RouteConfig } from '../settings/schema-routes.ts'

/** What the settings say of a model name. */
export interface Configured {
  /** As it stands in the settings: the name itself, or one with `*`. */
  readonly name: string
  readonly route: string | RouteConfig
  /** What stands for `*`; undefined if the name has none. */
  readonly rest: string | undefined
}

interface Wildcard extends Omit<Configured, 'rest'> {
  readonly prefix: string
  readonly suffix: string
}

export function isWildcard(name: string): boolean {
  return name.includes('*')
}

/** The configured names with `*`, of which those with a longer beginning win, then those with a longer end. */
export class Wildcards {
  readonly #all: readonly Wildcard[]

  constructor(models: Readonly<Record<string, string | RouteConfig>>) {
    this.#all = Object.entries(models)
      .filter(([name]) => isWildcard(name))
      .map(([name, route]) => {
        const [prefix = '', suffix = ''] = name.split('*')
        return { name, route, prefix, suffix }
      })
      .toSorted(
        (left, right) =>
          right.prefix.length - left.prefix.length || right.suffix.length - left.suffix.length,
      )
  }

  /** The wildcard that covers a name, with a beginning of at least `prefixMin` characters. */
  find(name: string, prefixMin: number): Configured | undefined {
    for (const { prefix, suffix, ...wildcard } of this.#all) {
      if (prefix.length < prefixMin) return undefined
      const rest = covered(name, prefix, suffix)
      if (rest !== undefined) return { ...wildcard, rest }
    }
    return undefined
  }
}

/** What `*` stands for in a name; undefined if the pattern has none or does not cover it. It stands for at least one character, and no `*`. */
export function restOf(pattern: string, name: string): string | undefined {
  const [prefix = '', suffix] = pattern.split('*')
  return suffix === undefined ? undefined : covered(name, prefix, suffix)
}

function covered(name: string, prefix: string, suffix: string): string | undefined {
  if (!name.startsWith(prefix) || !name.endsWith(suffix)) return undefined
  const rest = name.slice(prefix.length, name.length - suffix.length)
  return rest === '' || isWildcard(rest) || name.length <= prefix.length + suffix.length
    ? undefined
    : rest
}

/** A name of the settings with what stands for its `*`, if it has one. */
export function filled(pattern: string, rest: string | undefined): string {
  return rest === undefined ? pattern : pattern.replace('*', () => rest)
}
