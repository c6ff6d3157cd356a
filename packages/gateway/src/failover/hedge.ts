import { GatewayError } from '@sluice/contract'
import type { BegunResponse } from '../attempt/attempt.ts'
import { Cancellation } from '../call/cancellation.ts'
import type { Target } from '../route/routing.ts'
import { isFinal } from '../attempt/failures.ts'
import type { Retry } from './retry.ts'
import type { CallRun } from '../attempt/call-run.ts'

/** The hedge delay without observations of the target, in milliseconds. */
const delayUnlearnedMs = 2_000

/**
 * Starts the first target, and the second one if there is no content after the delay or the first has failed. The
 * first content wins; an error never does. The loser is cancelled and still records its known cost.
 */
export async function hedged(
  run: CallRun,
  [first, second]: readonly [first: Target, second: Target],
  retry: Retry,
): Promise<BegunResponse> {
  const { call } = run
  const legs: Leg[] = []
  const failures: unknown[] = []

  return new Promise<BegunResponse>((resolve, reject) => {
    let settled = false
    const start = (target: Target) => {
      const cancellation = new Cancellation(call.cancellation)
      const leg: Leg = { cancellation, won: false }
      legs.push(leg)
      const mayWait = target.whenFull === 'wait'
      retry(run, target, cancellation, { mayWait }).then(
        (begun) => win(leg, begun),
        (error: unknown) => lose(leg, error),
      )
    }
    const startSecond = () => {
      clearTimeout(timer)
      if (legs.length === 1 && !settled) start(second)
    }
    const win = (leg: Leg, begun: BegunResponse) => {
      if (settled) return begun.attempt.abandon()
      settled = true
      clearTimeout(timer)
      leg.won = true
      call.trail.provider = begun.target.providerId
      call.trail.model = begun.target.model
      for (const { cancellation, won } of legs)
        if (!won)
          cancellation.cancel(new GatewayError('cancelled', 'Another target answered first'))
      resolve(begun)
    }
    const lose = (leg: Leg, error: unknown) => {
      if (settled) return
      failures.push(error)
      leg.cancellation.cancel(error)
      if (isFinal(error) || failures.length === 2) {
        settled = true
        clearTimeout(timer)
        for (const { cancellation } of legs) cancellation.cancel(error)
        reject(error instanceof Error ? error : GatewayError.from(error))
        return
      }
      startSecond()
    }
    const timer = setTimeout(startSecond, hedgeDelay(run, first))
    start(first)
  })
}

interface Leg {
  readonly cancellation: Cancellation
  won: boolean
}

function hedgeDelay({ gateway, route }: CallRun, first: Target): number {
  const { delayMs, percentile } = route.options.hedge
  return delayMs ?? gateway.health.percentileMs(first.id, percentile) ?? delayUnlearnedMs
}
