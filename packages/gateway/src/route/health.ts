import { Breaker, type BreakerOptions, type BreakerState } from './breaker.ts'

/**
 * Recent observations of each target. In memory only: each process learns for itself. Callers are identified by key
 * ids.
 */
export interface Health extends KeyTurns {
  /** False while the breaker is open for this caller, except for one probe at a time after the cooldown. */
  available(target: string, caller: string): boolean
  /** Called when a try begins. In a half-open breaker it becomes the probe. */
  starts(target: string, caller: string): void
  /** Called when a try ended without a result for the target: the caller disconnected or its request was invalid. */
  released(target: string, caller: string): void
  /** Called when a try has produced a response, or its first content. */
  answered(target: string, caller: string, firstContentMs: number): void
  /** Called when a response is complete. Earlier failures are forgotten. */
  completed(target: string): void
  /** Called once when a try fails or a response breaks off. */
  failed(target: string, caller: string, breaker: BreakerOptions): void
  /** Moving average of the time to first content, in milliseconds; undefined if unknown. */
  latencyMs(target: string): number | undefined
  /** All targets with observations. */
  seen(): readonly SeenTarget[]
  /** A percentile (0 to 100) of recent times to first content; undefined below 8 observations. */
  percentileMs(target: string, percentile: number): number | undefined
  /**
   * Remembers for ten minutes that the upstream at a base URL lacks a client format; servers with OpenAI's Chat
   * Completions often lack Responses. The format is then translated. Does nothing if the format has worked before.
   */
  setFormatLacking(baseUrl: string, format: string): void
  lacksFormat(baseUrl: string, format: string): boolean
  /** Remembers that the upstream at a base URL supports a client format. Later errors do not change that. */
  formatWorked(baseUrl: string, format: string): void
  /** Remembers whether the last response of an upstream came from another Sluice gateway. */
  setGateway(provider: string, isGateway: boolean): void
  isGateway(provider: string): boolean
}

/** The observations of a target. */
export interface SeenTarget {
  readonly id: string
  readonly breaker: BreakerState
  /** The ids of keys for which alone the breaker is not closed. */
  readonly refusedCallers: readonly string[]
  /** As `latencyMs` has it. */
  readonly latencyMs: number | undefined
  /** Number of stored times to first content, at most 128. */
  readonly observations: number
}

/** Called on every change of a breaker. `caller` is the only key it applies to; undefined if it applies to all. */
export type BreakerListener = (
  target: string,
  state: BreakerState,
  caller: string | undefined,
) => void

interface Seen {
  /** Undefined until a try fails. */
  breaker: Breaker | undefined
  average: number | undefined
  readonly samples: number[]
}

/** Callers choose the model in `provider/model`, so the least recently used target is evicted beyond this number. */
const targetsMax = 10_000
const lackingMs = 600_000
const samplesMax = 128
const samplesForPercentile = 8
/** The weight of one observation in the moving average. */
const weight = 0.2

export function createHealth(now: () => number, changed: BreakerListener = () => {}): Health {
  const targets = new Map<string, Seen>()

  function seen(target: string): Seen {
    const known = targets.get(target)
    // A Map keeps insertion order. When eviction is near, the entry is re-inserted so that the least recently used
    // comes first.
    if (known && targets.size < targetsMax / 2) return known
    const entry = known ?? {
      breaker: undefined,
      average: undefined,
      samples: [],
    }
    targets.delete(target)
    targets.set(target, entry)
    if (targets.size > targetsMax) {
      const [oldest] = targets.keys()
      if (oldest !== undefined) targets.delete(oldest)
    }
    return entry
  }

  return {
    available: (target, caller) => targets.get(target)?.breaker?.lets(caller, now()) !== false,
    starts: (target, caller) => targets.get(target)?.breaker?.starts(caller, now()),
    released: (target, caller) => targets.get(target)?.breaker?.released(caller),
    answered(target, caller, firstContentMs) {
      const entry = seen(target)
      entry.breaker?.answered(caller)
      entry.average =
        entry.average === undefined
          ? firstContentMs
          : entry.average + weight * (firstContentMs - entry.average)
      entry.samples.push(firstContentMs)
      if (entry.samples.length > samplesMax) entry.samples.shift()
    },
    completed: (target) => targets.get(target)?.breaker?.completed(),
    failed(target, caller, options) {
      const entry = seen(target)
      entry.breaker ??= new Breaker((state, one) => changed(target, state, one))
      entry.breaker.failed(caller, now(), options)
    },
    latencyMs: (target) => targets.get(target)?.average,
    seen: () =>
      [...targets].map(([id, { breaker, average, samples }]) => ({
        id,
        breaker: breaker?.state ?? 'closed',
        refusedCallers: breaker?.refusedCallers ?? [],
        latencyMs: average,
        observations: samples.length,
      })),
    percentileMs(target, percentile) {
      const { samples = [] } = targets.get(target) ?? {}
      if (samples.length < samplesForPercentile) return undefined
      const sorted = samples.toSorted((left, right) => left - right)
      return sorted[Math.min(sorted.length - 1, Math.floor((percentile / 100) * sorted.length))]
    },
    ...createGateways(),
    ...createKeyTurns(now),
    ...createLacking(now),
  }
}

function createGateways(): Pick<Health, 'setGateway' | 'isGateway'> {
  const gateways = new Set<string>()
  return {
    setGateway(provider, isGateway) {
      if (isGateway) gateways.add(provider)
      else gateways.delete(provider)
    },
    isGateway: (provider) => gateways.has(provider),
  }
}

function createLacking(
  now: () => number,
): Pick<Health, 'setFormatLacking' | 'lacksFormat' | 'formatWorked'> {
  const lacking = new Map<string, number>()
  const working = new Map<string, Set<string>>()
  return {
    setFormatLacking(baseUrl, format) {
      if (working.get(baseUrl)?.has(format) === true) return
      lacking.set(`${baseUrl} ${format}`, now() + lackingMs)
    },
    lacksFormat: (baseUrl, format) =>
      lacking.size > 0 && (lacking.get(`${baseUrl} ${format}`) ?? 0) > now(),
    formatWorked(baseUrl, format) {
      const formats = working.get(baseUrl)
      if (formats?.has(format) === true) return
      working.set(baseUrl, new Set(formats).add(format))
    },
  }
}

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
