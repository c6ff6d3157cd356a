import type { ChatRequest } from '@sluice/contract'
import { isNeutral } from './neutral-values.ts'
import type { CodecContext } from './protocol.ts'

/**
 * Says of each of these fields that the upstream cannot express it, unless it is absent or its value equals what the
 * upstream does anyway.
 */
export function refuseFields(
  request: ChatRequest,
  fields: readonly (keyof ChatRequest)[],
  context: Pick<CodecContext, 'unsupported'>,
): void {
  for (const field of fields) if (asksFor(request, field)) context.unsupported(field)
}

/** True where the request gives the field a value that an upstream without it would not honour. */
export function asksFor(request: ChatRequest, field: keyof ChatRequest): boolean {
  const value = request[field]
  if (field === 'reasoning_effort') return value != null && value !== 'none'
  if (field === 'thinking_budget') return typeof value === 'number' && value > 0
  return !isNeutral(field, value)
}
