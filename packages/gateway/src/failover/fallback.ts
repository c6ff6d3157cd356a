import { GatewayError } from '@sluice/contract'
import type { BegunResponse } from '../attempt/attempt.ts'
import type { Target } from '../route/routing.ts'
import { isFinal } from '../attempt/failures.ts'
import { hedged } from './hedge.ts'
import { retry } from './retry.ts'
import type { CallRun } from '../attempt/call-run.ts'

/**
 * Tries the targets of a call in this order, each with its retries, and two at once if the route hedges. Rejects with the last
 * failure, or at once if the caller's request is at fault.
 */
export async function fallback(run: CallRun, order: readonly Target[]): Promise<BegunResponse> {
  const { call, route } = run
  const [first, second] = order
  let rest = order
  let failure: unknown
  // A hedged video would create and charge a second job that nobody knows of.
  const isHedged = route.options.hedge.enabled && call.operation !== 'createVideo'
  if (isHedged && first && second) {
    try {
      return await hedged(run, first, second)
    } catch (error) {
      failure = error
      rest = order.slice(2)
      if (isFinal(error)) throw error
    }
  }
  for (const target of rest) {
    // The last target is always waited for, because no other is left.
    const mayWait = target.whenFull === 'wait' || target === rest.at(-1)
    try {
      return await retry(run, target, call.cancellation, { mayWait })
    } catch (error) {
      failure = error
      if (isFinal(error)) throw error
    }
  }
  throw failure ?? new GatewayError('upstream_unavailable', 'No target is available for this model')
}
