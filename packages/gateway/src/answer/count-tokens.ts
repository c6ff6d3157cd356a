import { GatewayError } from '@sluice/contract'
import { answerHeaders, answerOf, begin, openRun } from './answer.ts'
import { nativeOf } from '../attempt/prepare.ts'
import type { Admitted } from '../admit/admit.ts'
import type { Answer } from '../call/call.ts'
import type { CallParts } from '../attempt/call-parts.ts'
import { canonicalOf, modeOf } from '../attempt/call-run.ts'

/**
 * Counts the tokens of a request without answering it. The upstream counts if it speaks the caller's format;
 * otherwise the built-in tokenizer does, which is an estimate for other models.
 */
export async function countTokens(gateway: CallParts, admitted: Admitted): Promise<Answer> {
  const run = openRun(gateway, admitted)
  const { call } = run
  const target = run.route.levels[0]?.[0]
  if (target?.kind === 'upstream' && nativeOf(gateway, call, target))
    return answerOf(run, await begin(run))
  const { counted } = call.format
  if (!counted) throw new GatewayError('internal', 'This format does not count')
  call.trail.provider = target?.providerId
  call.trail.model = target?.model
  // Only chat formats support counting.
  const mode = target === undefined ? 'hints' : modeOf(run, target)
  const asked = canonicalOf(run, mode)
  if (!('messages' in asked)) throw new GatewayError('internal', 'No chat is to be counted')
  const tokens = await gateway.engine.countTokens(asked)
  return { kind: 'json', headers: answerHeaders(gateway, call), body: counted(tokens) }
}
