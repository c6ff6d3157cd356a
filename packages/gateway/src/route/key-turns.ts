import type { KeyUse, Refusal, RestingKey } from './key-use.ts'
import { LimitedKeys, type SharedLimit } from './limited-keys.ts'
import { RefusedKeys } from './refused-keys.ts'

/** Rotates the keys of each provider. A refused key rests, first for seconds, then longer; a limited one for as long as told. */
export class KeyTurns {
  /** Whether no key rests, so that all may be used; false also for a while after. */
  areFree = true
  readonly #now: () => number
  readonly #refused: RefusedKeys
  readonly #limited: LimitedKeys
  readonly #turns = new Map<string, number>()

  constructor(now: () => number) {
    this.#now = now
    this.#refused = new RefusedKeys(now)
    this.#limited = new LimitedKeys(now)
  }

  /**
   * The next key that is not resting, or with `inOrder` the first of these. If all rest, one that is limited for an unknown time, or else the one that has rested longest is tried once every 15 seconds,
   * because the refusals may be a temporary fault of the upstream; undefined in between.
   */
  nextKey(
    use: KeyUse,
    secrets: readonly string[],
    { inOrder = false }: { readonly inOrder?: boolean } = {},
  ): string | undefined {
    const turn = this.#turns.get(use.provider) ?? 0
    if (secrets.length > 1 && !inOrder) this.#turns.set(use.provider, turn + 1)
    const first = inOrder ? 0 : turn % secrets.length
    const inTurn = [...secrets.slice(first), ...secrets.slice(0, first)]
    const isUnlimited = (secret: string) => !this.#limited.of(use, secret)
    return (
      inTurn.find(this.#isFree(use)) ??
      inTurn.find(this.#mayServe(use)) ??
      this.#refused.probe(use, inTurn.filter(isUnlimited))
    )
  }

  /** A key that is not resting and has not been tried; undefined if there is none. */
  otherKey(use: KeyUse, secrets: readonly string[], tried: readonly string[]): string | undefined {
    return secrets.filter((secret) => !tried.includes(secret)).find(this.#isFree(use))
  }

  /** Time until a key may be used again, in milliseconds. */
  keyRestsMs(use: KeyUse, secrets: readonly string[]): number {
    const untilOf = (secret: string) =>
      Math.max(this.#refused.of(use, secret)?.until ?? 0, this.#limited.of(use, secret)?.until ?? 0)
    return Math.max(0, Math.min(...secrets.map(untilOf)) - this.#now())
  }

  /**
   * Milliseconds until a limited key may be used again, if no key is free: 0 if the upstream has not said how long one of them is
   * limited. Undefined if a key is free or none is limited.
   */
  limitedMs(use: KeyUse, secrets: readonly string[]): number | undefined {
    if (!secrets.some((secret) => this.#limited.of(use, secret))) return undefined
    if (secrets.some(this.#isFree(use))) return undefined
    return secrets.some(this.#mayServe(use)) ? 0 : this.keyRestsMs(use, secrets)
  }

  /** The keys of a provider that are resting now, in no particular order. */
  resting(provider: string, secrets: readonly string[]): readonly RestingKey[] {
    return [...this.#refused.list(provider, secrets), ...this.#limited.list(provider, secrets)]
  }

  /** Records that a key has worked for this model and clears its refusals. */
  keyWorked(use: KeyUse, secret: string): void {
    this.#refused.worked(use, secret)
    this.#limited.worked(use, secret)
    this.areFree = this.#refused.areNone && this.#limited.areNone
  }

  keyRefused(use: KeyUse, secret: string, refusal: Refusal): void {
    this.areFree = false
    this.#refused.refused(use, secret, refusal)
  }

  /**
   * Records that the rate of a key is used up for this model, and for how long, if the upstream says so. One answer makes it rest
   * for a minute at most; longer only if the first call after a rest is answered so again.
   *
   * @returns For how many milliseconds from now it rests; 0 if the upstream has not said.
   */
  keyLimited(use: KeyUse, secret: string, retryAfterMs: number | undefined): number {
    this.areFree = false
    return this.#limited.limited(use, secret, retryAfterMs)
  }

  /** Records that nothing of the rate of a key remains for this model, by a response that it has served, and for how long. */
  keyUsedUp(use: KeyUse, secret: string, ms: number): void {
    this.areFree = false
    this.#limited.usedUp(use, secret, ms)
  }

  /** Calls this for each limit that a key has met here, so that other gateways learn of it. */
  shareLimits(share: (limit: SharedLimit) => void): void {
    this.#limited.share(share)
  }

  /** Records a limit that a key has met in another gateway. */
  keyLimitedElsewhere(limit: SharedLimit): void {
    this.areFree = false
    this.#limited.limitedElsewhere(limit)
  }

  #isFree(use: KeyUse): (secret: string) => boolean {
    return (secret) => !this.#refused.of(use, secret) && !this.#limited.of(use, secret)
  }

  /** Limited, but perhaps not any more. */
  #mayServe(use: KeyUse): (secret: string) => boolean {
    return (secret) =>
      this.#limited.of(use, secret)?.isTold === false && !this.#refused.of(use, secret)
  }
}
