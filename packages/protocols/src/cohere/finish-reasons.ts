import { type FinishReason, GatewayError } from '@sluice/contract'

/** Cohere API v2, ChatFinishReason, and the names of v1 that some models still use. */
const reasons: Readonly<Record<string, FinishReason>> = {
  COMPLETE: 'stop',
  STOP_SEQUENCE: 'stop',
  MAX_TOKENS: 'length',
  ERROR_LIMIT: 'length',
  TOOL_CALL: 'tool_calls',
  ERROR_TOXIC: 'content_filter',
}

/** Throws if the reason says that the generation failed. */
export function finishReason(reason: unknown, hasCalls: boolean): FinishReason {
  const failed = finishFailure(reason)
  if (failed !== undefined) throw failed
  const known = (typeof reason === 'string' ? reasons[reason] : undefined) ?? 'stop'
  return known === 'stop' && hasCalls ? 'tool_calls' : known
}

/** The error that a finish reason stands for; undefined if it stands for none. */
export function finishFailure(reason: unknown): GatewayError | undefined {
  if (reason === 'TIMEOUT')
    return new GatewayError('upstream_timeout', 'Cohere took too long to answer', {
      upstreamCode: reason,
    })
  return reason === 'ERROR'
    ? new GatewayError('upstream_unavailable', 'Cohere failed to answer', { upstreamCode: reason })
    : undefined
}
