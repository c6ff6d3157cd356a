/** The use of a provider key: where, for which model and by whom. */
export interface KeyUse {
  readonly provider: string
  /** The upstream's own name for the model. */
  readonly model: string
  /** The id of the caller's virtual key. */
  readonly caller: string
}

/**
 * What a refusal applies to. `key`: the key, because another key served the same request. `model`: the key with this
 * model, likewise. `unknown`: the request may be at fault, so the refusal applies to this caller and model only,
 * until another caller is refused too.
 */
export type Refusal = 'key' | 'model' | 'unknown'

/** Rotates the keys of each provider. A refused key rests, first for seconds, then longer. */
export interface KeyTurns {
  /**
   * The next key that is not resting. If all rest, the one that has rested longest is tried once every 15 seconds,
   * because the refusals may be a temporary fault of the upstream; undefined in between.
   */
  nextKey(use: KeyUse, secrets: readonly string[]): string | undefined
  /** A key other than `refused` that is not resting; undefined if there is none. */
  otherKey(use: KeyUse, secrets: readonly string[], refused: string): string | undefined
  /** Time until a key may be used again, in milliseconds. */
  keyRestsMs(use: KeyUse, secrets: readonly string[]): number
  /** The keys of a provider that are resting now, in no particular order. */
  resting(provider: string, secrets: readonly string[]): readonly RestingKey[]
  /** Records that a key has worked for this model and clears its refusals. */
  keyWorked(use: KeyUse, secret: string): void
  keyRefused(use: KeyUse, secret: string, refusal: Refusal): void
}

export interface RestingKey {
  /** Its position among the provider's keys, from 1. */
  readonly position: number
  /** The only model it rests for; undefined if it rests for all. */
  readonly model: string | undefined
  /** The only caller it rests for; undefined if it rests for all. */
  readonly caller: string | undefined
  /** Milliseconds since the epoch. */
  readonly until: number
}

interface Rest {
  until: number
  /** When the rest began or was last probed. */
  since: number
  lengthMs: number
  /** The only caller it applies to; undefined if it applies to all. */
  caller: string | undefined
}

const firstRestMs = 5_000
const longestRestMs = 300_000
const probeKeyMs = 15_000
/** Callers choose the model's name, so the oldest rest is evicted beyond this number. */
const restsMax = 10_000

export function createKeyTurns(now: () => number): KeyTurns {
  const rests = new Map<string, Rest>()
  const turns = new Map<string, number>()

  /** The longer of the rests that apply to this use. */
  function restOf(use: KeyUse, secret: string): Rest | undefined {
    const ofKey = holding(rests.get(nameOf(use.provider, secret)), use)
    const ofModel = holding(rests.get(nameOf(use.provider, secret, use.model)), use)
    if (!ofKey || !ofModel) return ofKey ?? ofModel
    return ofKey.until > ofModel.until ? ofKey : ofModel
  }

  function holding(rest: Rest | undefined, { caller }: KeyUse): Rest | undefined {
    if (!rest || rest.until <= now()) return undefined
    return rest.caller === undefined || rest.caller === caller ? rest : undefined
  }

  return {
    nextKey(use, secrets) {
      const [only] = secrets
      if (secrets.length === 1 && rests.size === 0) return only
      const turn = turns.get(use.provider) ?? 0
      if (secrets.length > 1) turns.set(use.provider, turn + 1)
      const inTurn = [
        ...secrets.slice(turn % secrets.length),
        ...secrets.slice(0, turn % secrets.length),
      ]
      const free = inTurn.find((secret) => !restOf(use, secret))
      if (free !== undefined) return free
      const [rested] = inTurn.toSorted(
        (left, right) => (restOf(use, left)?.since ?? 0) - (restOf(use, right)?.since ?? 0),
      )
      const rest = rested === undefined ? undefined : restOf(use, rested)
      if (rest === undefined || rest.since > now() - probeKeyMs) return undefined
      rest.since = now()
      return rested
    },
    otherKey: (use, secrets, refused) =>
      secrets.find((secret) => secret !== refused && !restOf(use, secret)),
    keyRestsMs: (use, secrets) =>
      Math.max(0, Math.min(...secrets.map((secret) => restOf(use, secret)?.until ?? 0)) - now()),
    resting(provider, secrets) {
      const time = now()
      return [...rests].flatMap(([name, { until, caller }]) => {
        const [of, secret = '', ...model] = name.split('\n')
        const position = secrets.indexOf(secret) + 1
        if (of !== provider || position === 0 || until <= time) return []
        return [{ position, model: model[0], caller, until }]
      })
    },
    keyWorked({ provider, model }, secret) {
      if (rests.size === 0) return
      rests.delete(nameOf(provider, secret))
      rests.delete(nameOf(provider, secret, model))
    },
    keyRefused(use, secret, refusal) {
      const { provider, model } = use
      const name = refusal === 'key' ? nameOf(provider, secret) : nameOf(provider, secret, model)
      const rest = restAfter(rests.get(name), { use, refusal, time: now() })
      rests.delete(name)
      rests.set(name, rest)
      if (rests.size <= restsMax) return
      const [oldest] = rests.keys()
      if (oldest !== undefined) rests.delete(oldest)
    },
  }
}

interface Refused {
  readonly use: KeyUse
  readonly refusal: Refusal
  readonly time: number
}

/** Each refusal doubles the previous rest, unless that ended long ago. */
function restAfter(last: Rest | undefined, { use: { caller }, refusal, time }: Refused): Rest {
  const before = last && last.until + longestRestMs > time ? last : undefined
  const isOfOne = refusal === 'unknown' && (!before || before.caller === caller)
  return {
    until: time + lengthAfter(before, time),
    since: time,
    lengthMs: lengthAfter(before, time),
    caller: isOfOne ? caller : undefined,
  }
}

function lengthAfter(before: Rest | undefined, time: number): number {
  if (!before) return firstRestMs
  // Concurrent calls that are refused together count as one refusal.
  if (before.until > time) return before.lengthMs
  return Math.min(longestRestMs, before.lengthMs * 2)
}

function nameOf(...parts: readonly string[]): string {
  return parts.join('\n')
}
