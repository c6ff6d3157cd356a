import { GatewayError } from '../../../packages/contract/src/core/errors.ts'
import type { ChatRequest } from '../../../packages/contract/src/operations/chat-request.ts'
import { gemini } from '../../../packages/protocols/src/gemini/index.ts'
import type { CodecContext } from '../../../packages/protocols/src/protocol.ts'
import { codecContext } from '../codec-context.ts'

export const chat = gemini.codecs.chat!

/** A small chat request with these fields. */
export function ask(fields: Partial<ChatRequest> = {}): ChatRequest {
  return { model: 'public', messages: [{ role: 'user', content: 'Hello' }], ...fields }
}

export interface Body {
  readonly contents: readonly { readonly role: string; readonly parts: readonly unknown[] }[]
  readonly systemInstruction?: unknown
  readonly tools?: readonly Record<string, unknown>[]
  readonly toolConfig?: unknown
  readonly generationConfig?: Record<string, unknown>
}

/** The body that is sent to Gemini. */
export function sent(
  fields: Partial<ChatRequest> = {},
  model = 'gemini-2.5-flash',
  context: Partial<CodecContext> = {},
): Body {
  const { body } = chat.encode(ask(fields), codecContext({ model, ...context }))
  return (body as { value: Body }).value
}

/** The paths that are left out of a request that is not refused. */
export function leftOut(fields: Partial<ChatRequest>, model?: string): readonly string[] {
  const params: string[] = []
  sent(fields, model, { leftOut: (param) => void params.push(param) })
  return params
}

/** The path of the refused field; undefined if the request is sent. */
export function refused(fields: Partial<ChatRequest>, model?: string): string | undefined {
  try {
    sent(fields, model)
  } catch (thrown) {
    if (thrown instanceof GatewayError) return thrown.details.param
    throw thrown
  }
  return undefined
}
