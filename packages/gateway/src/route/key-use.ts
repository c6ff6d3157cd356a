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

/** A key that is not used now. */
export interface RestingKey {
  /** Why it rests: the upstream refused it, or its rate is used up. */
  readonly reason: 'refused' | 'limited'
  /** Its position among the provider's keys, from 1. */
  readonly position: number
  /** The only model it rests for; undefined if it rests for all. */
  readonly model: string | undefined
  /** The only caller it rests for; undefined if it rests for all. */
  readonly caller: string | undefined
  /** Milliseconds since the epoch. */
  readonly until: number
}

/** Callers choose the model's name, so the oldest is evicted beyond this number. */
const keptMax = 10_000

/** Keeps an entry as the newest. */
export function keepNewest<Kept>(entries: Map<string, Kept>, name: string, entry: Kept): void {
  entries.delete(name)
  entries.set(name, entry)
  if (entries.size <= keptMax) return
  const [oldest] = entries.keys()
  if (oldest !== undefined) entries.delete(oldest)
}
