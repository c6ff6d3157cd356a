/** The label for all other names. */
export const otherName = 'other'

/** Names used as labels. Callers can write any model name, so the number of labels is limited. */
export class LabelValues {
  readonly #most: number
  readonly #learned = new Set<string>()
  #configured: ReadonlySet<string> = new Set()

  constructor(most: number) {
    this.#most = most
  }

  /** Names that are always labels. */
  configure(names: Iterable<string>): void {
    this.#configured = new Set(names)
  }

  /** The label of a name: itself if it is configured, or was proven to exist while there was room; otherwise `other`. */
  of(name: string, hasProven: boolean): string {
    if (this.#configured.has(name) || this.#learned.has(name)) return name
    if (!hasProven || this.#learned.size >= this.#most) return otherName
    this.#learned.add(name)
    return name
  }
}
