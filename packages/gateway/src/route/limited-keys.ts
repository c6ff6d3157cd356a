import { hash } from 'node:crypto'
import { keepNewest, type KeyUse, type RestingKey } from './key-use.ts'

/** The rest of a key whose rate for a model is used up. */
interface Limit {
  /** Whether the upstream has said how long. */
  readonly isTold: boolean
  readonly until: number
  readonly lengthMs: number
}

/** A limit that another gateway has met. */
export interface SharedLimit {
  readonly provider: string
  readonly model: string
  /** A hash of the key. */
  readonly key: string
  readonly isTold: boolean
  readonly lengthMs: number
  /** How much of it is left, in milliseconds. */
  readonly leftMs: number
}

/** The keys whose rate for a model is used up. */
export class LimitedKeys {
  readonly #now: () => number
  readonly #limits = new Map<string, Limit>()
  readonly #hashes = new Map<string, string>()
  #share: ((limit: SharedLimit) => void) | undefined

  constructor(now: () => number) {
    this.#now = now
  }

  get areNone(): boolean {
    return this.#limits.size === 0
  }

  /** Calls this for each limit that is met here. */
  share(share: (limit: SharedLimit) => void): void {
    this.#share = share
  }

  of(use: KeyUse, secret: string): Limit | undefined {
    if (this.areNone) return undefined
    const limit = this.#limits.get(this.#nameOf(use, secret))
    return limit && limit.until > this.#now() ? limit : undefined
  }

  /** @returns For how many milliseconds from now; 0 if the upstream has not said. */
  limited(use: KeyUse, secret: string, toldMs: number | undefined): number {
    const now = this.#now()
    const limit = limitAfter(this.#limits.get(this.#nameOf(use, secret)), now, toldMs)
    this.#keep(use, secret, limit)
    return limit.isTold ? limit.until - now : 0
  }

  /** Unlike a limit that was met, it is only expected: the key is used if no other is free. */
  usedUp(use: KeyUse, secret: string, ms: number): void {
    const known = this.#limits.get(this.#nameOf(use, secret))
    const until = this.#now() + Math.min(ms, toldLimitMaxMs)
    if (known === undefined || known.until < until)
      this.#keep(use, secret, { isTold: false, lengthMs: firstLimitMs, until })
  }

  #keep(use: KeyUse, secret: string, limit: Limit): void {
    keepNewest(this.#limits, this.#nameOf(use, secret), limit)
    const { isTold, lengthMs, until } = limit
    const { provider, model } = use
    const leftMs = until - this.#now()
    this.#share?.({ provider, model, key: this.#hashOf(secret), isTold, lengthMs, leftMs })
  }

  limitedElsewhere({ provider, model, key, isTold, lengthMs, leftMs }: SharedLimit): void {
    const name = [provider, key, model].join('\n')
    const until = this.#now() + Math.min(leftMs, longestLimitMs)
    const known = this.#limits.get(name)
    if (known === undefined || known.until < until)
      keepNewest(this.#limits, name, { isTold, lengthMs, until })
  }

  worked(use: KeyUse, secret: string): void {
    if (this.areNone) return
    const name = this.#nameOf(use, secret)
    const limit = this.#limits.get(name)
    // A call that began before the limit was met says nothing of it.
    if (limit && limit.until <= this.#now()) this.#limits.delete(name)
  }

  list(provider: string, secrets: readonly string[]): readonly RestingKey[] {
    const hashes = secrets.map((secret) => this.#hashOf(secret))
    return [...this.#limits].flatMap(([name, { until }]) => {
      const [of, key = '', model] = name.split('\n')
      const position = hashes.indexOf(key) + 1
      if (of !== provider || position === 0 || until <= this.#now()) return []
      return [{ reason: 'limited', position, model, caller: undefined, until }]
    })
  }

  #nameOf({ provider, model }: KeyUse, secret: string): string {
    return [provider, this.#hashOf(secret), model].join('\n')
  }

  #hashOf(secret: string): string {
    const known = this.#hashes.get(secret)
    if (known !== undefined) return known
    const made = hash('sha256', secret)
    keepNewest(this.#hashes, secret, made)
    return made
  }
}

const firstLimitMs = 500
const toldLimitMaxMs = 60_000
const longestLimitMs = 300_000

function limitAfter(last: Limit | undefined, time: number, toldMs: number | undefined): Limit {
  const before = last && last.until + toldLimitMaxMs > time ? last : undefined
  // Concurrent calls that are refused together count as one refusal.
  const isProbe = before !== undefined && before.until <= time
  const isTold = toldMs !== undefined && toldMs > 0
  const untoldMs = before ? (isProbe ? before.lengthMs * 2 : before.lengthMs) : firstLimitMs
  const mostMs = isProbe && isTold ? longestLimitMs : toldLimitMaxMs
  const lengthMs = Math.min(mostMs, isTold ? toldMs : untoldMs)
  const until = Math.max(before?.until ?? 0, time + lengthMs)
  return { isTold: isTold || (before !== undefined && !isProbe && before.isTold), until, lengthMs }
}
