import { setTimeout as sleep } from 'node:timers/promises'
import { GatewayError } from '@sluice/contract'
import { askEngine } from '../attempt/ask-engine.ts'
import { askUpstream } from '../attempt/ask-upstream.ts'
import type { BegunResponse } from '../attempt/attempt.ts'
import type { Cancellation } from '../call/cancellation.ts'
import type { TakenSlots } from '../attempt/taken-slots.ts'
import { nativeOf } from '../attempt/prepare.ts'
import type { AnyRequest } from '../call/canonical.ts'
import { isFree } from '../admit/call-size.ts'
import type { Target, UpstreamTarget } from '../route/routing.ts'
import { actionFor, limitsKey } from '../attempt/failures.ts'
import { fanOut, type Shares } from './fan-out.ts'
import { inParts, partsAtOnce, partsOf } from './in-parts.ts'
import { retryWait } from './retry-wait.ts'
import { type CallRun, canonicalOf, modeOf } from '../attempt/call-run.ts'
import { takeSlots, type Wanted } from './take-slots.ts'

/** Whether a try waits for a slot if the target is full. */
export interface SlotWait {
  readonly mayWait: boolean
}

export type Retry = typeof retry

/**
 * Tries one target with its retries. Uses full-jitter backoff, or the time the upstream asks for if that is not too
 * long.
 */
export async function retry(
  run: CallRun,
  target: Target,
  cancellation: Cancellation,
  patience: SlotWait,
): Promise<BegunResponse> {
  const { gateway, route, call } = run
  const { key, admission, trail } = call
  const { attempts, baseMs, maxMs, breaker } = route.options
  trail.skipped?.delete(target.id)
  let tries = 0
  for (;;) {
    if (cancellation.isCancelled) throw cancellation.error
    tries += 1
    const takesRoom = target.takesRoom && !isFree(call)
    const slots = takesRoom ? await slotsOf(run, target, cancellation, patience) : undefined
    gateway.health.starts(target.id, key.id)
    try {
      trail.activeTargets += 1
      if (trail.spent.length > 0) await admission.makeRoom?.(call)
      return await ask(slots ? { ...run, slots } : run, target, cancellation)
    } catch (thrown) {
      const error = GatewayError.from(thrown)
      const action = actionFor(error)
      if (error.blame === 'upstream' && !limitsKey(error))
        gateway.health.failed(target.id, key.id, breaker)
      else gateway.health.released(target.id, key.id)
      // Another target may serve at once; `fallback` waits if there is none.
      if (action !== 'retry' || limitsKey(error) || tries >= attempts) throw error
      const waitMs = retryWait(error.details.retryAfterMs, {
        tries,
        baseMs,
        maxMs,
        random: gateway.random(),
      })
      if (waitMs === undefined) throw error
      slots?.settle()
      await pause(waitMs, cancellation)
    } finally {
      trail.activeTargets -= 1
      slots?.settle()
    }
  }
}

/** The room for a try at a target with limits. */
function slotsOf(
  run: CallRun,
  target: Target,
  cancellation: Cancellation,
  patience: SlotWait,
): Promise<TakenSlots> {
  const { count, isDivisible } = atOnceAt(run, target)
  return takeSlots(run, target, { count, isDivisible, ...patience }, cancellation)
}

function atOnceAt(run: CallRun, target: Target): Pick<Wanted, 'count' | 'isDivisible'> {
  if (target.kind === 'engine') return { count: 1, isDivisible: false }
  const parts = partsOf(run, target)
  if (parts.length > 1 && run.call.operation === 'embed')
    return { count: partsAtOnce(parts.length), isDivisible: true }
  return { count: sharesOf(run, target, parts)?.requests.length ?? 1, isDivisible: false }
}

export async function pause(ms: number, cancellation: Cancellation): Promise<void> {
  try {
    await sleep(ms, undefined, { signal: cancellation.signal })
  } catch {
    throw cancellation.error
  }
}

function ask(run: CallRun, target: Target, cancellation: Cancellation): Promise<BegunResponse> {
  if (target.kind === 'engine') return askEngine(run, target, cancellation)
  const { operation } = run.call
  const mayBeSplit =
    operation === 'embed' || operation === 'complete' || (operation === 'chat' && isSingle(target))
  return mayBeSplit ? askSplit(run, target, cancellation) : askUpstream(run, target, cancellation)
}

/** Sends several requests if the target takes or returns less at a time. */
function askSplit(
  run: CallRun,
  target: UpstreamTarget,
  cancellation: Cancellation,
): Promise<BegunResponse> {
  const parts = partsOf(run, target)
  if (parts.length > 1 && run.call.operation === 'embed')
    return inParts(run, { target, parts, ask: askUpstream }, cancellation)
  const shares = sharesOf(run, target, parts)
  return shares
    ? fanOut(run, { target, ask: askUpstream, ...shares }, cancellation)
    : askUpstream(run, target, cancellation)
}

/** What to send to an upstream that returns one choice, or takes one prompt; undefined if one request is enough. */
function sharesOf(
  run: CallRun,
  target: UpstreamTarget,
  parts: readonly AnyRequest[],
): Shares | undefined {
  const { gateway, call } = run
  if (call.operation === 'complete') {
    if (parts.length < 2) return undefined
    const perPrompt = isSingle(target) ? choicesIn(canonicalOf(run, modeOf(run, target))) : 1
    return { requests: parts, choices: choicesIn(parts[0]), perPrompt }
  }
  // A native request may hold fields that have no canonical form, so it must not be translated just to read `n`.
  if (call.operation !== 'chat' || !isSingle(target) || nativeOf(gateway, call, target))
    return undefined
  const asked = canonicalOf(run, modeOf(run, target))
  const count = choicesIn(asked)
  if (count === 1) return undefined
  const requests = Array.from({ length: count }, () => ({ ...asked, n: 1 }))
  return { requests, choices: 1, perPrompt: count }
}

/** Whether the upstream returns a single choice of a chat. */
function isSingle({ upstream }: UpstreamTarget): boolean {
  return upstream.provider.protocol.codecs.chat?.singleChoice === true
}

function choicesIn(request: object | undefined): number {
  return request && 'n' in request && typeof request.n === 'number' ? request.n : 1
}
