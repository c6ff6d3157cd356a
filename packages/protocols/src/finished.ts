import { type FinishReason, GatewayError } from '@sluice/contract'

/**
 * Throws `upstream_garbled` if a response ends while a call is still open, unless it was cut at its limit or by a filter.
 * Otherwise incomplete arguments would be sent as complete ones.
 */
export function assertCut(reason: FinishReason): void {
  if (!isCut(reason)) throw withinCall()
}

/** Whether an answer was cut at its limit or by a filter, which may be anywhere. */
export function isCut(reason: FinishReason): boolean {
  return reason === 'length' || reason === 'content_filter'
}

/** The error for an answer that ended while a call was still open. */
export function withinCall(): GatewayError {
  return new GatewayError('upstream_garbled', 'The upstream ended its answer within a tool call')
}

/** The error for a stream that began a second answer while a block of the first was open. */
export function betweenBlocks(): GatewayError {
  return new GatewayError('upstream_garbled', 'The upstream began another answer within a block')
}

/** The error for a stream that ended without a finish reason. */
export function endWithoutReason(): GatewayError {
  return new GatewayError('upstream_cut', 'The upstream ended its stream without a finish reason')
}
