import { type FinishReason, GatewayError } from '@sluice/contract'

/**
 * Throws `upstream_garbled` where an answer ends, and not because of its limit, while a call is still open: half of
 * its arguments would be told as all of them.
 */
export function assertCut(reason: FinishReason): void {
  if (reason === 'length' || reason === 'content_filter') return
  throw new GatewayError('upstream_garbled', 'The upstream ended its answer within a tool call')
}

/** The error that a stream's last event stands for where nothing said how the answer ended. */
export function endWithoutReason(): GatewayError {
  return new GatewayError(
    'upstream_cut',
    'The upstream ended its stream without a word on how its answer ended',
  )
}
