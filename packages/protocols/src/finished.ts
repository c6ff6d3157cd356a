import { type FinishReason, GatewayError } from '@sluice/contract'

/**
 * Throws `upstream_garbled` if a response ends while a call is still open, unless it was cut at its limit or by a filter.
 * Otherwise incomplete arguments would be sent as complete ones.
 */
export function assertCut(reason: FinishReason): void {
  if (reason === 'length' || reason === 'content_filter') return
  throw new GatewayError('upstream_garbled', 'The upstream ended its answer within a tool call')
}

/** The error for a stream that ended without a finish reason. */
export function endWithoutReason(): GatewayError {
  return new GatewayError('upstream_cut', 'The upstream ended its stream without a finish reason')
}
