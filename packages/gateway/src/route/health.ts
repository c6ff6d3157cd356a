import { Breaker, type BreakerOptions, type BreakerState } from './breaker.ts'
import { KeyTurns } from './key-turns.ts'
import { TargetLoads } from './target-loads.ts'

/**
 * Recent observations of each target. In memory only: each process learns for itself. Callers are identified by key
 * ids.
 */
export interface Health extends LackingFormats {
  /** The keys of providers. */
  readonly keys: KeyTurns
  readonly loads: TargetLoads
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
    keys: new KeyTurns(now),
    loads: new TargetLoads(now),
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
    ...createLackingFormats(now),
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

/** What is remembered of the client formats that upstreams speak. In memory only: each process learns for itself. */
interface LackingFormats {
  /**
   * Remembers for ten minutes that an upstream lacks a client format; servers with OpenAI's Chat Completions often lack Responses.
   * The format is then translated for those whom the proof concerns, but for this caller alone if the format has worked before: what
   * its request has caused must not concern others.
   */
  setFormatLacking(at: FormatAt, proof: Proof): void
  lacksFormat(baseUrl: string, format: string, model: string, caller: string): boolean
  /** Remembers that the upstream speaks the format. */
  formatWorked(baseUrl: string, format: string): void
}

/** A client format at an upstream, with the upstream's name of the model that is asked, and the id of the key that asks. */
interface FormatAt {
  readonly baseUrl: string
  readonly format: string
  readonly model: string
  readonly caller: string
}

/** Whom it concerns that a format is lacking. */
interface Proof {
  /** Whether the address itself is missing, so that no model of the upstream has the format. */
  readonly ofModels: 'all' | 'one'
  /** Whether the request of this caller cannot be the reason. */
  readonly ofCallers: 'all' | 'one'
}

const lackingMs = 600_000
/** Callers choose the model, so the oldest are forgotten beyond this number. */
const lackingMax = 10_000

function createLackingFormats(now: () => number): LackingFormats {
  const lacking = new Map<string, number>()
  const working = new Map<string, Set<string>>()
  const isLacking = (...parts: readonly string[]) => (lacking.get(parts.join(' ')) ?? 0) > now()
  return {
    setFormatLacking({ baseUrl, format, model, caller }, { ofModels, ofCallers }) {
      const hasWorked = working.get(baseUrl)?.has(format) === true
      const of = ofModels === 'all' ? '' : model
      const whose = ofCallers === 'all' && !hasWorked ? '' : caller
      const key = [baseUrl, format, of, whose].join(' ')
      lacking.delete(key)
      lacking.set(key, now() + lackingMs)
      const [oldest] = lacking.size > lackingMax ? lacking.keys() : []
      if (oldest !== undefined) lacking.delete(oldest)
    },
    lacksFormat(baseUrl, format, model, caller) {
      if (lacking.size === 0) return false
      return ['', model].some((of) =>
        ['', caller].some((whose) => isLacking(baseUrl, format, of, whose)),
      )
    },
    formatWorked(baseUrl, format) {
      const formats = working.get(baseUrl)
      if (formats?.has(format) === true) return
      working.set(baseUrl, new Set(formats).add(format))
    },
  }
}
