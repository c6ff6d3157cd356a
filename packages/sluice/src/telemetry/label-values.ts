/** What stands for names that are not labels. */
export const otherName = 'other'

/** Names that label series. Callers may write any model's name after a provider's: so many are labels at most. */
export class LabelValues {
  readonly #most: number
  readonly #learned = new Set<string>()
  #configured: ReadonlySet<string> = new Set()

  constructor(most: number) {
    this.#most = most
  }

  /** Names that are labels whatever happens. */
  configure(names: Iterable<string>): void {
    this.#configured = new Set(names)
  }

  /** The label of a name: itself where it is configured, or has proven to exist while there was room; else `other`. */
  of(name: string, hasProven: boolean): string {
    if (this.#configured.has(name) || this.#learned.has(name)) return name
    if (!hasProven || this.#learned.size >= this.#most) return otherName
    this.#learned.add(name)
    return name
  }
}
