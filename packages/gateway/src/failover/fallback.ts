import { GatewayError } from '@sluice/contract'
import { secretsFor } from '../attempt/account.ts'
import type { BegunResponse } from '../attempt/attempt.ts'
import { limitedMs } from '../route/call-route.ts'
import type { Target } from '../route/routing.ts'
import { noteSkipped } from '../route/skipped.ts'
import { isFinal, limitsKey } from '../attempt/failures.ts'
import { hedged } from './hedge.ts'
import { pause, type Retry } from './retry.ts'
import { retryWait } from './retry-wait.ts'
import type { CallRun } from '../attempt/call-run.ts'

/**
 * Tries the targets of a call in this order, each with its retries, and two at once if the route hedges. If none serves and the rate
 * of some is used up, waits for the first of those, unless that takes too long. Rejects with the last failure, or at once if the
 * caller's request is at fault.
 */
export function fallback(
  run: CallRun,
  order: readonly Target[],
  retry: Retry,
): Promise<BegunResponse> {
  return each(run, order, retry).catch((thrown: unknown) =>
    whenLimited(run, { order, retry, thrown, tries: 1 }),
  )
}

interface Failed {
  readonly order: readonly Target[]
  readonly retry: Retry
  readonly thrown: unknown
  /** How often these targets were tried. */
  readonly tries: number
}

/** Waits for the first target whose keys are all limited, if there is one, and asks it again; rejects with what was thrown otherwise. */
export async function whenLimited(
  run: CallRun,
  { order, retry, thrown, tries }: Failed,
): Promise<BegunResponse> {
  const { attempts, baseMs, maxMs } = run.route.options
  const limited = isFinal(thrown) ? [] : limitedOf(run, order)
  const [[, askedMs] = []] = limited
  if (askedMs === undefined) throw thrown
  const waitMs = retryWait(askedMs > 0 ? askedMs : undefined, {
    tries,
    baseMs,
    maxMs,
    random: run.gateway.random(),
  })
  if (tries >= attempts || waitMs === undefined)
    throw limited.length > 1 ? waitingFor(thrown, askedMs) : thrown
  // Timers may end within the last millisecond of their time.
  await pause(Math.ceil(waitMs) + 1, run.call.cancellation)
  const free = limited.map(([target]) => target)
  try {
    return await each(run, free, retry)
  } catch (again) {
    return whenLimited(run, { order: free, retry, thrown: again, tries: tries + 1 })
  }
}

/** The targets at a limit of their own or whose keys are all limited, with the milliseconds until they may serve, in this order. */
function limitedOf(
  { gateway: { health, now }, call, bound }: CallRun,
  order: readonly Target[],
): readonly (readonly [Target, number])[] {
  return order
    .flatMap((target) => {
      const secrets = target.kind === 'upstream' ? secretsFor(bound, target) : []
      const until = call.trail.limitedTargets?.get(target.id)
      const ms =
        limitedMs(health, target, call.key.id, secrets) ??
        (until === undefined ? undefined : Math.max(0, until - now()))
      return ms === undefined ? [] : [[target, ms] as const]
    })
    .toSorted(([, left], [, right]) => left - right)
}

/** A limit is told with the time after which the first target may serve again; other failures stay as they are. */
function waitingFor(thrown: unknown, retryAfterMs: number): unknown {
  if (retryAfterMs === 0 || !(thrown instanceof GatewayError) || !limitsKey(thrown)) return thrown
  return new GatewayError(thrown.code, thrown.message, { ...thrown.details, retryAfterMs })
}

/** Tries each target once, with its retries. */
async function each(run: CallRun, order: readonly Target[], retry: Retry): Promise<BegunResponse> {
  const { call, route } = run
  const [first, second] = order
  let rest = order
  let failure: unknown
  // A hedged video would create and charge a second job that nobody knows of.
  const isHedged = route.options.hedge.enabled && call.operation !== 'createVideo'
  if (isHedged && first && second) {
    try {
      return await hedged(run, [first, second], retry)
    } catch (error) {
      failure = error
      rest = order.slice(2)
      if (isFinal(error)) throw error
    }
  }
  for (const target of rest) {
    // The last target is always waited for, because no other is left.
    const mayWait = target.whenFull === 'wait' || target === rest.at(-1)
    const { attempts } = call.trail
    try {
      return await retry(run, target, call.cancellation, { mayWait })
    } catch (error) {
      failure = error
      if (call.trail.attempts === attempts)
        noteSkipped(call.trail, target.id, GatewayError.from(error).message)
      if (isFinal(error)) throw error
    }
  }
  throw failure ?? new GatewayError('upstream_unavailable', 'No target is available for this model')
}
