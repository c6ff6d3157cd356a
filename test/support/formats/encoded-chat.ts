import { GatewayError } from '../../../packages/contract/src/core/errors.ts'
import type { ChatRequest } from '../../../packages/contract/src/operations/chat-request.ts'
import type { Codec, CodecContext } from '../../../packages/protocols/src/protocol.ts'
import { codecContext } from '../codec-context.ts'

export const userMessage = { role: 'user', content: 'hi' } as const

type Fields = Partial<ChatRequest>

/** Encodes requests with a chat codec; the defaults are a model and one user message. */
export function encodedChat(codec: Codec<'chat'>, model: string) {
  function sent(fields: Fields, given: Partial<CodecContext> = {}): Record<string, unknown> {
    const request = { model: 'm', messages: [userMessage], ...fields }
    const { body } = codec.encode(request, codecContext({ model, ...given }))
    if (body?.kind !== 'json') throw new Error('The codec sends no JSON')
    return body.value as Record<string, unknown>
  }

  /** The path of the refused field. */
  function refusal(fields: Fields, ofModel = model): string | undefined {
    try {
      sent(fields, { model: ofModel })
    } catch (error) {
      if (error instanceof GatewayError) return error.details.param
      throw error
    }
    return 'nothing was refused'
  }

  /** The paths that are left out if the route allows dropping unsupported fields, and the body without them. */
  function dropped(fields: Fields, ofModel = model) {
    const params: string[] = []
    const note = (param: string) => void params.push(param)
    return { body: sent(fields, { model: ofModel, unsupported: note, leftOut: note }), params }
  }

  /** The paths that are left out of a request that is not refused. */
  function leftOut(fields: Fields, ofModel = model): readonly string[] {
    const params: string[] = []
    sent(fields, { model: ofModel, leftOut: (param) => void params.push(param) })
    return params
  }

  return { sent, refusal, dropped, leftOut }
}
