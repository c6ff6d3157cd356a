import { setTimeout as sleep } from 'node:timers/promises'
import { GatewayError } from '@sluice/contract'
import type { Attempted } from '../attempt/attempt.ts'
import { askEngine } from '../attempt/ask-engine.ts'
import { askUpstream } from '../attempt/ask-upstream.ts'
import type { Cancellation } from '../attempt/cancellation.ts'
import { nativeOf, type UpstreamTarget } from '../attempt/prepare.ts'
import type { Target } from '../route/routing.ts'
import { actionFor } from './failures.ts'
import { fanOut } from './fan-out.ts'
import type { Run } from './run.ts'

/** One target with its retries: full-jitter backoff, and as long as the upstream asks where that is not too long. */
export async function retry(
  run: Run,
  target: Target,
  cancellation: Cancellation,
): Promise<Attempted> {
  const { gateway, route } = run
  const { attempts, baseMs, maxMs, breaker } = route.options
  let tries = 0
  let keysLeft = target.kind === 'upstream' ? target.upstream.secrets.length - 1 : 0
  for (;;) {
    if (cancellation.isCancelled) throw new GatewayError('cancelled', 'The caller went away')
    tries += 1
    gateway.health.starts(target.id)
    try {
      const attempted = await ask(run, target, cancellation)
      gateway.health.succeeded(target.id, attempted.firstContentMs)
      return attempted
    } catch (thrown) {
      const error = GatewayError.from(thrown)
      const action = actionFor(error)
      if (error.blame === 'upstream') gateway.health.failed(target.id, breaker)
      else gateway.health.released(target.id)
      if (action === 'other-key' && keysLeft > 0) {
        keysLeft -= 1
        tries -= 1
        continue
      }
      if (action !== 'retry' || tries >= attempts) throw error
      const waitMs = retryWait(error, { tries, baseMs, maxMs, random: gateway.random })
      if (waitMs === undefined) throw error
      await pause(waitMs, cancellation.signal)
    }
  }
}

/**
 * How long to wait before a retry, in milliseconds; undefined when the upstream asks for more than the route allows
 * (AWS Architecture Blog, "Exponential Backoff and Jitter": full jitter).
 */
function retryWait(
  error: GatewayError,
  {
    tries,
    baseMs,
    maxMs,
    random,
  }: { tries: number; baseMs: number; maxMs: number; random: () => number },
): number | undefined {
  const asked = error.details.retryAfterMs
  if (asked !== undefined && asked > maxMs) return undefined
  const jitter = random() * Math.min(maxMs, baseMs * 2 ** (tries - 1))
  return asked === undefined ? jitter : Math.max(asked, jitter)
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal })
  } catch (cause) {
    throw new GatewayError('cancelled', 'The caller went away', { cause })
  }
}

function ask(run: Run, target: Target, cancellation: Cancellation): Promise<Attempted> {
  if (target.kind === 'engine') return askEngine(run, target, cancellation)
  const choices = choicesToFanOut(run, target)
  return choices > 1
    ? fanOut(run, { target, choices }, cancellation)
    : askUpstream(run, target, cancellation)
}

/** How many choices to ask for one by one, from an upstream that gives a single one. */
function choicesToFanOut(run: Run, target: UpstreamTarget): number {
  const { gateway, call } = run
  if (call.operation !== 'chat') return 1
  if (target.upstream.provider.protocol.codecs.chat?.singleChoice !== true) return 1
  // What goes on as it came may hold what the canonical form cannot say, so it is not translated to look.
  if (nativeOf(gateway, call, target)) return 1
  const asked = run.canonical()
  return 'n' in asked && typeof asked.n === 'number' ? asked.n : 1
}
