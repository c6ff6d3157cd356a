/** What the calls of this process are doing at targets among which a route chooses by that. Names are those of `Target.countedAs`. */
export class TargetLoads {
  readonly #loads = new Map<string, Load>()
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  /** Calls in progress. */
  busy(name: string): number {
    return this.#loads.get(name)?.calls ?? 0
  }

  /** Tokens of the calls that have begun in the current minute: as they have used them, or as estimated. */
  used(name: string): number {
    const load = this.#loads.get(name)
    return load?.minute === this.#minute ? load.tokens : 0
  }

  /** A call begins, which may use so many tokens. */
  begin(name: string, estimate: number): RunningLoad {
    const minute = this.#minute
    const load = this.#loads.get(name) ?? { calls: 0, minute, tokens: 0 }
    this.#loads.set(name, load)
    if (load.minute !== minute) {
      load.minute = minute
      load.tokens = 0
    }
    load.calls += 1
    load.tokens += estimate
    return {
      leave({ tokens = estimate }) {
        load.calls -= 1
        if (load.minute === minute) load.tokens += tokens - estimate
      },
    }
  }

  get #minute(): number {
    return Math.floor(this.#now() / 60_000)
  }
}

interface Load {
  calls: number
  /** Since the epoch. */
  minute: number
  tokens: number
}

/** A call that is counted until it leaves, with the tokens that it has used; undefined if they are unknown. */
export interface RunningLoad {
  leave(used: { readonly tokens: number | undefined }): void
}
