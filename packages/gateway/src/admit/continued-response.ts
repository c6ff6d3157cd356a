import type { StoredResponse } from '../ports/store.ts'
import type { Call } from '../call/call.ts'
import type { AdmitParts } from './admit-parts.ts'
import type { Earlier } from './call-size.ts'

/** Stored responses already read for a call that continues them, by the trail that all copies of the call share. */
const read = new WeakMap<Call['trail'], StoredResponse>()

/** The tokens of what a call continues; undefined if it is not stored here for this key. */
export async function earlierTokens(
  store: AdmitParts['store'],
  call: Call,
  earlier: Earlier,
): Promise<number | undefined> {
  if ('response' in earlier) return keptTokens(store, call, earlier.response)
  const kept = await store.findConversation(earlier.conversation)
  return kept?.keyId === call.key.id ? kept.tokens : undefined
}

/**
 * The tokens of a stored response of this key, including the conversation before it; undefined if it is not stored
 * here.
 */
async function keptTokens(
  store: AdmitParts['store'],
  { key, trail }: Call,
  id: string,
): Promise<number | undefined> {
  const kept = await store.findResponse(id)
  if (kept?.keyId !== key.id) return undefined
  read.set(trail, kept)
  return totalTokens(kept.response)
}

/** A stored response of any key. Uses the copy that was read when the limits of the call were checked. */
export function findKept(
  store: AdmitParts['store'],
  { trail }: Call,
  id: string,
): StoredResponse | Promise<StoredResponse | undefined> {
  const known = read.get(trail)
  // Dropped after one use: it may be large, and is needed once more at most.
  read.delete(trail)
  return known?.id === id ? known : store.findResponse(id)
}

/**
 * Searches the text instead of parsing it, because a response may have 16 MiB and nothing else is needed. A JSON
 * string cannot contain the quoted name unescaped. The largest of several matches counts.
 */
function totalTokens(response: string): number | undefined {
  let most: number | undefined
  for (const [, digits] of response.matchAll(/"total_tokens"\s*:\s*(\d{1,15})/g))
    most = Math.max(most ?? 0, Number(digits))
  return most
}
