import { createKeyTurns, type KeyTurns } from './key-turns.ts'

/** What has been seen of each target lately. In memory: another process learns for itself. */
export interface Health extends KeyTurns {
  /** False while the breaker is open, except for one probe at a time after the cooldown. */
  available(target: string): boolean
  /** An attempt begins; in a half-open breaker it is the one probe. */
  starts(target: string): void
  /** An attempt ended without saying anything about the target: the caller left, or the request was wrong. */
  released(target: string): void
  succeeded(target: string, firstContentMs: number): void
  failed(target: string, breaker: BreakerOptions): void
  /** A moving average of the time to the first content, in milliseconds; undefined when nothing is known. */
  latencyMs(target: string): number | undefined
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

export interface BreakerOptions {
  readonly failures: number
  readonly windowMs: number
  readonly cooldownMs: number
}

export const defaultBreaker: BreakerOptions = { failures: 5, windowMs: 30_000, cooldownMs: 15_000 }

/** `open`: it comes behind all others. `half-open`: one request tries it. `closed`: it is used again. */
export type BreakerState = 'open' | 'half-open' | 'closed'

/** Told of every change of a breaker. */
export type BreakerListener = (target: string, state: BreakerState) => void

interface Seen {
  failures: number[]
  /** 0 while the breaker is closed. */
  openUntil: number
  probing: boolean
  state: BreakerState
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

  function turn(target: string, entry: Seen, state: BreakerState): void {
    if (entry.state === state) return
    entry.state = state
    changed(target, state)
  }

  const seen = (target: string) => entryOf(targets, target)

  return {
    available(target) {
      const { openUntil = 0, probing = false } = targets.get(target) ?? {}
      return openUntil === 0 || (now() >= openUntil && !probing)
    },
    starts(target) {
      const entry = seen(target)
      if (entry.openUntil === 0) return
      entry.probing = true
      if (now() >= entry.openUntil) turn(target, entry, 'half-open')
    },
    released(target) {
      const entry = targets.get(target)
      if (entry) entry.probing = false
    },
    succeeded(target, firstContentMs) {
      const entry = seen(target)
      if (entry.failures.length > 0) entry.failures = []
      if (entry.openUntil > 0) turn(target, entry, 'closed')
      entry.openUntil = 0
      entry.probing = false
      entry.average =
        entry.average === undefined
          ? firstContentMs
          : entry.average + weight * (firstContentMs - entry.average)
      entry.samples.push(firstContentMs)
      if (entry.samples.length > samplesMax) entry.samples.shift()
    },
    failed(target, { failures, windowMs, cooldownMs }) {
      const entry = seen(target)
      const time = now()
      entry.failures = [...entry.failures.filter((at) => at > time - windowMs), time].slice(
        -failures,
      )
      entry.probing = false
      if (entry.failures.length < failures && entry.openUntil === 0) return
      entry.openUntil = time + cooldownMs
      turn(target, entry, 'open')
    },
    latencyMs: (target) => targets.get(target)?.average,
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

function entryOf(targets: Map<string, Seen>, target: string): Seen {
  const known = targets.get(target)
  // A Map keeps the order of insertion. Where it may have to forget something, what was used last stands last.
  if (known && targets.size < targetsMax / 2) return known
  const entry = known ?? {
    failures: [],
    openUntil: 0,
    probing: false,
    state: 'closed',
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
