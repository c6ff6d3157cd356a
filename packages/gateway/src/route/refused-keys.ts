import { keepNewest, type KeyUse, type Refusal, type RestingKey } from './key-use.ts'

/** How long a refused key is not used. */
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
/** The keys that upstreams have refused. */
export class RefusedKeys {
  readonly #now: () => number
  readonly #rests = new Map<string, Rest>()

  constructor(now: () => number) {
    this.#now = now
  }

  get areNone(): boolean {
    return this.#rests.size === 0
  }

  /** The longer of the rests that apply to this use. */
  of(use: KeyUse, secret: string): Rest | undefined {
    const ofKey = this.#holding(use, nameOf(use.provider, secret))
    const ofModel = this.#holding(use, nameOf(use.provider, secret, use.model))
    if (!ofKey || !ofModel) return ofKey ?? ofModel
    return ofKey.until > ofModel.until ? ofKey : ofModel
  }

  /** The one of these keys that has rested longest; undefined if one was probed less than 15 seconds ago. */
  probe(use: KeyUse, secrets: readonly string[]): string | undefined {
    const since = (secret: string) => this.of(use, secret)?.since ?? 0
    const [rested] = secrets.toSorted((left, right) => since(left) - since(right))
    const rest = rested === undefined ? undefined : this.of(use, rested)
    if (rest === undefined || rest.since > this.#now() - probeKeyMs) return undefined
    rest.since = this.#now()
    return rested
  }

  refused(use: KeyUse, secret: string, refusal: Refusal): void {
    const { provider, model } = use
    const name = refusal === 'key' ? nameOf(provider, secret) : nameOf(provider, secret, model)
    const rest = restAfter(this.#rests.get(name), { use, refusal, time: this.#now() })
    keepNewest(this.#rests, name, rest)
  }

  worked({ provider, model }: KeyUse, secret: string): void {
    this.#rests.delete(nameOf(provider, secret))
    this.#rests.delete(nameOf(provider, secret, model))
  }

  list(provider: string, secrets: readonly string[]): readonly RestingKey[] {
    return [...this.#rests].flatMap(([name, { until, caller }]) => {
      const [of, secret = '', ...model] = name.split('\n')
      const position = secrets.indexOf(secret) + 1
      if (of !== provider || position === 0 || until <= this.#now()) return []
      return [{ reason: 'refused', position, model: model[0], caller, until }]
    })
  }

  #holding({ caller }: KeyUse, name: string): Rest | undefined {
    const rest = this.#rests.get(name)
    if (!rest || rest.until <= this.#now()) return undefined
    return rest.caller === undefined || rest.caller === caller ? rest : undefined
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
