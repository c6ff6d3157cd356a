import type { Reports } from './native-target.ts'
import { isNeutral } from './neutral-values.ts'

/**
 * Fields that only advise the upstream: who the user is, how tokens are sampled, how much to think or to write, what to cache
 * or store, and what may speed up the response. A response without them means the same, so a target that does not support one
 * never rejects the request for it.
 */
export const hints = [
  'frequency_penalty',
  'metadata',
  'parallel_tool_calls',
  'prediction',
  'presence_penalty',
  'prompt_cache_key',
  'reasoning_effort',
  'safety_identifier',
  'seed',
  'service_tier',
  'store',
  'temperature',
  'thinking_budget',
  'top_k',
  'top_p',
  'user',
  'verbosity',
] as const

export type Hint = (typeof hints)[number]

/**
 * Handles one field that the target does not support: it is rejected, or left out if it only advises. A value that equals the
 * target's default behavior is ignored.
 */
export function reportUnsupported(
  field: string,
  value: unknown,
  context: Reports,
  reason?: string,
): void {
  if (isNeutral(field, value)) return
  if (isHint(field)) context.leftOut(field, reason)
  else context.unsupported(field, reason)
}

function isHint(field: string): boolean {
  return hints.some((hint) => hint === field)
}
