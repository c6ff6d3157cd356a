import { GatewayError } from '@sluice/contract'
import type { Attempted } from '../attempt/attempt.ts'
import { orderFor } from '../route/order-targets.ts'
import type { Target } from '../route/routing.ts'
import { isFinal } from './failures.ts'
import { hedged } from './hedge.ts'
import { retry } from './retry.ts'
import type { Run } from './run.ts'

/**
 * Brings a call to an answer: targets in order, each with its retries, two at once where the route hedges. Rejects
 * with the last failure, or at once with the caller's own mistake.
 */
export function fallback(run: Run): Promise<Attempted> {
  const order = orderFor(run.gateway, run.call, run.route)
  const [only] = order
  return only && order.length === 1
    ? retry(run, only, run.call.cancellation, { mayWait: true })
    : inOrder(run, order)
}

async function inOrder(run: Run, order: readonly Target[]): Promise<Attempted> {
  const { call, route } = run
  const [first, second] = order
  let rest = order
  let failure: unknown
  // A second task would be made and paid for, and nobody would know of it.
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
    // The last one is waited for in any case: there is nothing else left.
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
