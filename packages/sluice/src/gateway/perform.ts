import { GatewayError } from '@sluice/contract'
import type { Attempted } from './attempt.ts'
import { chooseOrder, promptPrefix } from './choose.ts'
import { hedged } from './hedge.ts'
import { isFinal, type Performing, tryTarget } from './try-target.ts'

/**
 * Brings a call to an answer: targets in order, each with its retries, two at once where the route hedges. Rejects
 * with the last failure, or at once with the caller's own mistake.
 */
export async function perform(performing: Performing): Promise<Attempted> {
  const { gateway, call, route } = performing
  const order = chooseOrder(route, {
    health: gateway.health,
    random: gateway.random,
    ...(route.options.sticky && { prefix: promptPrefix(call.key.id, call.request) }),
  })
  const [first, second] = order
  let rest = order
  let failure: unknown
  // A second task would be made and paid for, and nobody would know of it.
  const isHedged = route.options.hedge.enabled && call.operation !== 'createVideo'
  if (isHedged && first && second) {
    try {
      return await hedged(performing, first, second)
    } catch (error) {
      failure = error
      rest = order.slice(2)
      if (isFinal(error)) throw error
    }
  }
  for (const target of rest) {
    try {
      return await tryTarget(performing, target, call.signal)
    } catch (error) {
      failure = error
      if (isFinal(error)) throw error
    }
  }
  throw failure ?? new GatewayError('upstream_unavailable', 'No target is left for this model')
}
