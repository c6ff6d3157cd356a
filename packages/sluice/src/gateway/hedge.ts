import { GatewayError } from '@sluice/contract'
import type { Attempted } from './attempt.ts'
import { isFinal, type Performing, tryTarget } from './try-target.ts'
import type { Target } from './routing.ts'

/** Where nothing has been learned of a target yet, in milliseconds. */
const delayUnlearnedMs = 2_000

/**
 * Starts the first target, and the second when no content has come by the delay or the first has failed. The first
 * content wins; an error never does. The loser is cancelled, and its meter still says what is known of its cost.
 */
export async function hedged(
  performing: Performing,
  first: Target,
  second: Target,
): Promise<Attempted> {
  const { call } = performing
  const runs: Run[] = []
  const failures: unknown[] = []

  return new Promise<Attempted>((resolve, reject) => {
    let settled = false
    const start = (target: Target) => {
      const controller = new AbortController()
      const run: Run = { controller, won: false }
      runs.push(run)
      const signal = AbortSignal.any([call.signal, controller.signal])
      tryTarget(performing, target, signal).then(
        (attempted) => win(run, attempted),
        (error: unknown) => lose(run, error),
      )
    }
    const startSecond = () => {
      clearTimeout(timer)
      if (runs.length === 1 && !settled) start(second)
    }
    const win = (run: Run, attempted: Attempted) => {
      if (settled) return attempted.abandon()
      settled = true
      clearTimeout(timer)
      run.won = true
      performing.call.trail.provider = attempted.target.providerId
      performing.call.trail.model = attempted.target.model
      for (const { controller, won } of runs)
        if (!won) controller.abort(new GatewayError('cancelled', 'Another target answered first'))
      resolve(attempted)
    }
    const lose = (run: Run, error: unknown) => {
      if (settled) return
      failures.push(error)
      run.controller.abort(error)
      if (isFinal(error) || failures.length === 2) {
        settled = true
        clearTimeout(timer)
        for (const { controller } of runs) controller.abort(error)
        reject(error as Error)
        return
      }
      startSecond()
    }
    const timer = setTimeout(startSecond, hedgeDelay(performing, first))
    start(first)
  })
}

interface Run {
  readonly controller: AbortController
  won: boolean
}

function hedgeDelay({ gateway, route }: Performing, first: Target): number {
  const { delayMs, percentile } = route.options.hedge
  return delayMs ?? gateway.health.percentileMs(first.id, percentile) ?? delayUnlearnedMs
}
