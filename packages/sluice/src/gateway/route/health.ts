/** What has been seen of each target lately. In memory: another process learns for itself. */
export interface Health {
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
   * Remembers for ten minutes that an upstream does not have a client format after all: servers that speak OpenAI's
   * chat often lack its Responses. The format is then translated.
   */
  setFormatLacking(provider: string, format: string): void
  lacksFormat(provider: string, format: string): boolean
  /** Remembers whether an upstream's last answer was that of a gateway like this one. */
  setGateway(provider: string, isGateway: boolean): void
  isGateway(provider: string): boolean
  /** Leaves a refused or limited key of a provider alone for a while. */
  setKeyAside(provider: string, secret: string, ms: number): void
  /**
   * The next key in turn that is not set aside. Where every one is, the one that has rested longest is tried again once
   * in 15 seconds, as refusals may be the upstream's bad day; undefined in between.
   */
  nextKey(provider: string, secrets: readonly string[]): string | undefined
}

export interface BreakerOptions {
  readonly failures: number
  readonly windowMs: number
  readonly cooldownMs: number
}

export const defaultBreaker: BreakerOptions = { failures: 5, windowMs: 30_000, cooldownMs: 15_000 }

interface Seen {
  failures: number[]
  openUntil: number
  probing: boolean
  average: number | undefined
  readonly samples: number[]
}

/** Callers choose the model's name in `provider/model`; beyond this many the one used longest ago is forgotten. */
const targetsMax = 10_000
const lackingMs = 600_000
const probeKeyMs = 15_000
const samplesMax = 128
const samplesForPercentile = 8
/** How much one observation moves the average. */
const weight = 0.2

export function createHealth(now: () => number): Health {
  const targets = new Map<string, Seen>()

  function seen(target: string): Seen {
    const known = targets.get(target)
    // A Map keeps the order of insertion. Where it may have to forget something, what was used last stands last.
    if (known && targets.size < targetsMax / 2) return known
    const entry = known ?? {
      failures: [],
      openUntil: 0,
      probing: false,
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
    available(target) {
      const { openUntil = 0, probing = false } = targets.get(target) ?? {}
      return openUntil === 0 || (now() >= openUntil && !probing)
    },
    starts(target) {
      const entry = seen(target)
      if (entry.openUntil > 0) entry.probing = true
    },
    released(target) {
      const entry = targets.get(target)
      if (entry) entry.probing = false
    },
    succeeded(target, firstContentMs) {
      const entry = seen(target)
      if (entry.failures.length > 0) entry.failures = []
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
      if (entry.failures.length >= failures || entry.openUntil > 0)
        entry.openUntil = time + cooldownMs
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

function createLacking(now: () => number): Pick<Health, 'setFormatLacking' | 'lacksFormat'> {
  const lacking = new Map<string, number>()
  return {
    setFormatLacking(provider, format) {
      lacking.set(`${provider} ${format}`, now() + lackingMs)
    },
    lacksFormat: (provider, format) =>
      lacking.size > 0 && (lacking.get(`${provider} ${format}`) ?? 0) > now(),
  }
}

/** Keys of one provider are used in turn, the refused ones left out for a while. */
function createKeyTurns(now: () => number): Pick<Health, 'setKeyAside' | 'nextKey'> {
  const aside = new Map<string, { until: number; since: number }>()
  const turns = new Map<string, number>()
  return {
    setKeyAside(provider, secret, ms) {
      aside.set(`${provider} ${secret}`, { until: now() + ms, since: now() })
    },
    nextKey(provider, secrets) {
      const [only] = secrets
      if (secrets.length === 1 && (aside.size === 0 || !aside.has(`${provider} ${only}`)))
        return only
      const turn = turns.get(provider) ?? 0
      turns.set(provider, turn + 1)
      const inTurn = [
        ...secrets.slice(turn % secrets.length),
        ...secrets.slice(0, turn % secrets.length),
      ]
      const restOf = (secret: string) => aside.get(`${provider} ${secret}`)
      const free = inTurn.find((secret) => (restOf(secret)?.until ?? 0) <= now())
      if (free !== undefined) return free
      const [rested] = inTurn.toSorted(
        (left, right) => (restOf(left)?.since ?? 0) - (restOf(right)?.since ?? 0),
      )
      const rest = rested === undefined ? undefined : restOf(rested)
      if (rest === undefined || rest.since > now() - probeKeyMs) return undefined
      rest.since = now()
      return rested
    },
  }
}
