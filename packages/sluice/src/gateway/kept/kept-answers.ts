import type { StoredResponse } from '../../ports/store.ts'
import type { Call } from '../call.ts'
import type { Gateway } from '../gateway.ts'

/** What was read of the store for a call that goes on with it, by the trail that all copies of the call share. */
const read = new WeakMap<Call['trail'], StoredResponse>()

/** The tokens of what came before a kept answer of this key, and of the answer; undefined where none is kept here. */
export async function keptTokens(
  store: Gateway['store'],
  { key, trail }: Call,
  id: string,
): Promise<number | undefined> {
  const kept = await store.findResponse(id)
  if (kept?.keyId !== key.id) return undefined
  read.set(trail, kept)
  return totalTokens(kept.response)
}

/** An answer that is kept, of whichever key; read once, where the limits of the call have asked for it before. */
export function findKept(
  store: Gateway['store'],
  { trail }: Call,
  id: string,
): StoredResponse | Promise<StoredResponse | undefined> {
  const known = read.get(trail)
  // It may be large, and is asked for once more at most.
  read.delete(trail)
  return known?.id === id ? known : store.findResponse(id)
}

/**
 * Looked for in the text: an answer may have sixteen megabytes, and nothing else of it is needed. In a JSON text no string can
 * hold the name with its quotes as they are; of several fields of the name the largest counts.
 */
function totalTokens(response: string): number | undefined {
  let most: number | undefined
  for (const [, digits] of response.matchAll(/"total_tokens"\s*:\s*(\d{1,15})/g))
    most = Math.max(most ?? 0, Number(digits))
  return most
}
