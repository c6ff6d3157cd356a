import { GatewayError } from '../../../packages/contract/src/core/errors.ts'
import type { Message } from '../../../packages/contract/src/operations/chat-message.ts'
import type { ChatRequest } from '../../../packages/contract/src/operations/chat-request.ts'
import { chat } from '../../../packages/protocols/src/anthropic/upstream/chat.ts'
import { codecContext } from '../codec-context.ts'

type Body = Readonly<Record<string, unknown>> & {
  readonly messages: readonly { readonly role: string; readonly content: readonly object[] }[]
}

export const hello: Message = { role: 'user', content: 'Hello' }

export const tool = { type: 'function' as const, function: { name: 'look' } }

/** The body into which a request is translated for a model, and the fields reported as dropped if they are not refused. */
export function encode(given: Partial<ChatRequest>, model = 'claude-sonnet-4-5', report = false) {
  const dropped: string[] = []
  const context = codecContext({
    model,
    leftOut: (param: string) => void dropped.push(param),
    ...(report ? { unsupported: (param: string) => void dropped.push(param) } : {}),
  })
  const { body } = chat.encode(
    { model: 'm', messages: [hello], max_completion_tokens: 100, ...given },
    context,
  )
  if (body?.kind !== 'json') throw new Error('no JSON')
  return { body: body.value as Body, dropped }
}

/** The error with which a request is refused. */
export function refusal(given: Partial<ChatRequest>, model?: string): GatewayError {
  try {
    encode(given, model)
  } catch (thrown) {
    if (thrown instanceof GatewayError) return thrown
    throw thrown
  }
  throw new Error('was not refused')
}
