import { Breaker, type BreakerOptions, type BreakerState } from './breaker.ts'
import { createKeyTurns, type KeyTurns } from './key-turns.ts'

/** What has been seen of each target lately. In memory: another process learns for itself. Callers are ids of keys. */
export interface Health extends KeyTurns {
  /** False while the breaker is open for this caller, except for one probe at a time after the cooldown. */
  available(target: string, caller: string): boolean
  /** A try begins; in a half-open breaker it is the one probe. */
  starts(target: string, caller: string): void
  /** A try ended without saying anything about the target: the caller left, or the request was wrong. */
  released(target: string, caller: string): void
  /** A try has brought an answer, or the first content of one. */
  answered(target: string, caller: string, firstContentMs: number): void
  /** An answer has come whole: the failures before it are forgotten. */
  completed(target: string): void
  /** A try has failed, or an answer has broken off in its middle: once for each. */
  failed(target: string, caller: string, breaker: BreakerOptions): void
  /** A moving average of the time to the first content, in milliseconds; undefined when nothing is known. */
  latencyMs(target: string): number | undefined
  /** All targets that something is known of. */
  seen(): readonly SeenTarget[]
  /** A percentile (0 to 100) of the last first-content times; undefined below 8 observations. */
  percentileMs(target: string, percentile: number): number | undefined
  /**
   * Remembers for ten minutes that the upstream at a base URL does not have a client format after all: servers that speak
   * OpenAI's chat often lack its Responses. The format is then translated. Does nothing where the format has worked.
   */
  setFormatLacking(baseUrl: string, format: string): void
  lacksFormat(baseUrl: string, format: string): boolean
  /** The upstream at a base URL has answered in a client format: it has it, whatever it says of later requests. */
  formatWorked(baseUrl: string, format: string): void
  /** Remembers whether an upstream's last answer was that of a gateway like this one. */
  setGateway(provider: string, isGateway: boolean): void
  isGateway(provider: string): boolean
}

/** What is known of a target. */
export interface SeenTarget {
  readonly id: string
  readonly breaker: BreakerState
  /** The ids of keys for which alone the breaker is not closed. */
  readonly refusedCallers: readonly string[]
  /** As `latencyMs` has it. */
  readonly latencyMs: number | undefined
  /** How many first-content times are remembered, at most 128. */
  readonly observations: number
}

/** Told of every change of a breaker; `caller` is the one key that it holds for, undefined where it holds for all. */
export type BreakerListener = (
  target: string,
  state: BreakerState,
  caller: string | undefined,
) => void

interface Seen {
  readonly breaker: Breaker
  average: number | undefined
  readonly samples: number[]
}

/** Callers choose the model's name in `provider/model`; beyond this many the one used longest ago is forgotten. */
const targetsMax = 10_000
const lackingMs = 600_000
const samplesMax = 128
const samplesForPercentile = 8
/** How much one observation moves the average. */
const weight = 0.2

export function createHealth(now: () => number, changed: BreakerListener = () => {}): Health {
  const targets = new Map<string, Seen>()

  function seen(target: string): Seen {
    const known = targets.get(target)
    // A Map keeps the order of insertion. Where it may have to forget something, what was used last stands last.
    if (known && targets.size < targetsMax / 2) return known
    const entry = known ?? {
      breaker: new Breaker((state, caller) => changed(target, state, caller)),
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
    available: (target, caller) => targets.get(target)?.breaker.lets(caller, now()) !== false,
    starts: (target, caller) => targets.get(target)?.breaker.starts(caller, now()),
    released: (target, caller) => targets.get(target)?.breaker.released(caller),
    answered(target, caller, firstContentMs) {
      const entry = seen(target)
      entry.breaker.answered(caller)
      entry.average =
        entry.average === undefined
          ? firstContentMs
          : entry.average + weight * (firstContentMs - entry.average)
      entry.samples.push(firstContentMs)
      if (entry.samples.length > samplesMax) entry.samples.shift()
    },
    completed: (target) => targets.get(target)?.breaker.completed(),
    failed(target, caller, options) {
      seen(target).breaker.failed(caller, now(), options)
    },
    latencyMs: (target) => targets.get(target)?.average,
    seen: () =>
      [...targets].map(([id, { breaker, average, samples }]) => ({
        id,
        breaker: breaker.state,
        refusedCallers: breaker.refusedCallers,
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
