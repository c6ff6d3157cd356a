import { GatewayError } from '@sluice/contract'
import { withCallersFunctions } from '@sluice/protocols/tools/callers-tools.ts'
import { answerHeaders, answerOf, openRun } from './answer.ts'
import { secretsFor } from '../attempt/account.ts'
import { askWith } from '../attempt/ask-upstream.ts'
import type { BegunResponse } from '../attempt/attempt.ts'
import { nativeOf } from '../attempt/prepare.ts'
import { boundOrder } from '../failover/bound.ts'
import type { Admitted } from '../admit/admit.ts'
import type { Answer } from '../call/call.ts'
import type { CallParts } from '../attempt/call-parts.ts'
import { type CallRun, canonicalOf, modeOf } from '../attempt/call-run.ts'
import type { UpstreamTarget } from '../route/routing.ts'

/**
 * Counts the tokens of a request without answering it. The upstream counts if it speaks the caller's format; otherwise,
 * and if it fails in any way, the built-in tokenizer does, which is an estimate for other models. Nothing is generated,
 * retried or sent to another target, and no breaker moves.
 */
export function countTokens(gateway: CallParts, admitted: Admitted): Promise<Answer> {
  return countOf(openRun(gateway, admitted))
}

/**
 * As `countTokens`, for the run of a call. `whole` is called where the upstream does not count, for the run whose request has
 * everything that is counted.
 */
export async function countOf(sent: CallRun, whole = async () => sent): Promise<Answer> {
  const targets = sent.route.levels.flat()
  const [target] = sent.bound ? boundOrder(sent.bound, targets) : targets
  if (target?.kind === 'upstream' && nativeOf(sent.gateway, sent.call, target)) {
    const counted = await countedUpstream(sent, target)
    if (counted) return answerOf(sent, counted)
  }
  const run = await whole()
  const { gateway, call } = run
  const { counted } = call.format
  if (!counted) throw new GatewayError('internal', 'This format does not count')
  call.trail.provider = target?.providerId
  call.trail.model = target?.model
  // Only chat formats support counting.
  const mode = target === undefined ? 'hints' : modeOf(run, target)
  const asked = canonicalOf(run, mode)
  if (!('messages' in asked)) throw new GatewayError('internal', 'No chat is to be counted')
  // Every model reads such tools, whether as functions or as what it knows already.
  const tokens = await gateway.engine.countTokens(withCallersFunctions(asked, () => false))
  const headers = {
    ...answerHeaders(gateway, call),
    ...(target?.providerId !== gateway.engine.id && { 'x-sluice-count-estimated': 'true' }),
  }
  return { kind: 'json', headers, body: counted(tokens) }
}

/** A count that takes longer is made here: it is asked for before or between requests, which wait for it. */
const countMsMax = 10_000

/**
 * The upstream's own count, asked once with one key; undefined if there is none. Rejects if the caller's request may not be sent or
 * nobody waits for it.
 */
async function countedUpstream(
  run: CallRun,
  target: UpstreamTarget,
): Promise<BegunResponse | undefined> {
  const { gateway, call } = run
  const { providerId: provider, model, timeouts } = target
  const use = { provider, model, caller: call.key.id }
  const secret = gateway.health.keys.nextKey(use, secretsFor(run.bound, target))
  if (secret === undefined) return undefined
  const headersMs = Math.min(timeouts.headersMs, countMsMax)
  const totalMs = Math.min(timeouts.totalMs, countMsMax)
  const hurried = { ...target, timeouts: { ...timeouts, headersMs, totalMs } }
  const aside = { ...run, isAside: true }
  try {
    return await askWith(aside, { target: hurried, secret }, call.cancellation)
  } catch (thrown) {
    const { blame, code, details } = GatewayError.from(thrown)
    if (code === 'cancelled' || (blame === 'caller' && details.upstreamStatus === undefined))
      throw thrown
    return undefined
  }
}
