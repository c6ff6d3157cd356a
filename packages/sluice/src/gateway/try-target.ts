import { setTimeout as sleep } from 'node:timers/promises'
import { GatewayError } from '@sluice/contract'
import type { Codec } from '@sluice/protocols'
import type { AnyRequest, Attempted, AttemptInput } from './attempt.ts'
import { attemptEngine } from './attempt-engine.ts'
import { attemptUpstream } from './attempt-upstream.ts'
import { actionFor } from './failures.ts'
import { fanOut } from './fan-out.ts'
import type { Call, Gateway } from './gateway.ts'
import { nativeOf } from './prepare.ts'
import type { Route, Target } from './routing.ts'

export interface Performing {
  readonly gateway: Gateway
  readonly call: Call
  readonly route: Route
  readonly canonical: () => AnyRequest
}

export function isFinal(error: unknown): boolean {
  return !(error instanceof GatewayError) || actionFor(error) === 'stop'
}

/** One target with its retries: full-jitter backoff, and as long as the upstream asks where that is not too long. */
export async function tryTarget(
  performing: Performing,
  target: Target,
  signal: AbortSignal,
): Promise<Attempted> {
  const { gateway, route } = performing
  const { attempts, baseMs, maxMs, breaker } = route.options
  const secrets = target.kind === 'upstream' ? target.upstream.secrets.length : 0
  let tries = 0
  let keysLeft = secrets - 1
  for (;;) {
    if (signal.aborted) throw new GatewayError('cancelled', 'The caller went away')
    tries += 1
    gateway.health.starts(target.id)
    try {
      const attempted = await attemptOnce(performing, target, signal)
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
      await pause(waitMs, signal)
    }
  }
}

/**
 * How long to wait before a retry, in milliseconds; undefined when the upstream asks for more than the route allows
 * (AWS Architecture Blog, "Exponential Backoff and Jitter": full jitter).
 */
export function retryWait(
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

function attemptOnce(
  { gateway, call, route, canonical }: Performing,
  target: Target,
  signal: AbortSignal,
): Promise<Attempted> {
  const { trail } = call
  trail.attempts += 1
  trail.provider = target.providerId
  trail.model = target.model
  const input: AttemptInput = {
    gateway,
    call,
    route,
    canonical,
    attempt: trail.attempts,
    signal,
  }
  if (target.kind === 'engine') return attemptEngine(input, target)
  // What goes on as it came may hold what the canonical form cannot say, so it is not translated to look.
  if (nativeOf(gateway, call, target)) return attemptUpstream(input, target)
  const choices = choicesWanted(call, canonical)
  const codec: Codec<'chat'> | undefined = target.upstream.provider.protocol.codecs.chat
  if (choices > 1 && codec?.singleChoice === true) return fanOut(input, target, choices)
  return attemptUpstream(input, target)
}

function choicesWanted(call: Call, canonical: () => AnyRequest): number {
  if (call.operation !== 'chat') return 1
  const asked = call.format ? canonical() : call.request
  return 'n' in asked && typeof asked.n === 'number' ? asked.n : 1
}
