import { type ChatRequest, GatewayError } from '@sluice/contract'
import { answerHeaders } from './answer.ts'
import type { Answer, Call, Gateway } from './gateway.ts'
import { canonicalOf, handle, routeOf } from './handle.ts'
import { nativeOf } from './prepare.ts'

/**
 * Counts the tokens of a request without answering it: the upstream does where it speaks the caller's format, else the
 * built-in tokenizer gives its own count, which is an estimate for other models.
 */
export async function countTokens(gateway: Gateway, call: Call): Promise<Answer> {
  const route = await routeOf(gateway, call)
  const target = route.levels[0]?.[0]
  if (target?.kind === 'upstream' && nativeOf(gateway, call, target)) return handle(gateway, call)
  const counted = call.format?.counted
  if (!counted) throw new GatewayError('internal', 'This format does not count')
  const { promptTokens } = await import('@sluice/engine')
  call.trail.provider = target?.providerId
  call.trail.model = target?.model
  const tokens = promptTokens(canonicalOf(gateway, call)() as ChatRequest)
  return { kind: 'json', headers: answerHeaders(gateway, call), body: counted(tokens) }
}
