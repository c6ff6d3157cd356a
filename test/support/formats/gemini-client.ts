import { GatewayError } from '../../../packages/contract/src/core/errors.ts'
import { type ChatReply, chat } from '../../../packages/contract/src/operations/chat.ts'
import { validate } from '../../../packages/contract/src/operations/validate.ts'
import { generateContent } from '../../../packages/protocols/src/gemini/client/formats.ts'
import type { ClientFormat } from '../../../packages/protocols/src/client-format.ts'
import { formatContext } from '../codec-context.ts'

export const hello = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }

/** Processes a client's request as the gateway does before it calls an upstream. */
export function canonical(fields: object, format: ClientFormat<'chat'> = generateContent) {
  const request = validate(format.request, { model: 'm', ...hello, ...fields })
  const made = validate(chat.request, format.toCanonical(request, formatContext()))
  chat.check?.(made)
  return made
}

export function faultOf(action: () => unknown): object {
  try {
    action()
  } catch (thrown) {
    if (thrown instanceof GatewayError) return { code: thrown.code, param: thrown.details.param }
    throw thrown
  }
  return {}
}

export const fault = (fields: object, format?: ClientFormat<'chat'>): object =>
  faultOf(() => canonical(fields, format))

export const config = (generationConfig: object) => ({ generationConfig })
export const parts = (...list: object[]) => ({ contents: [{ role: 'user', parts: list }] })
export const turns = (...list: [string, ...object[]][]) => ({
  contents: list.map(([role, ...each]) => ({ role, parts: each })),
})

export const answer = (message: object, fields: object = {}): ChatReply =>
  validate(chat.reply, {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: null, refusal: null, ...message },
        finish_reason: 'stop',
        logprobs: null,
        ...fields,
      },
    ],
    usage: {
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: 15,
      prompt_tokens_details: {
        cached_tokens: 0,
        text_tokens: 10,
        audio_tokens: 0,
        image_tokens: 0,
      },
      completion_tokens_details: { text_tokens: 5, audio_tokens: 0, reasoning_tokens: 0 },
    },
    system_fingerprint: null,
  })

export interface Candidate {
  readonly content: { readonly parts: readonly Record<string, unknown>[] }
  readonly finishReason?: string
  readonly finishMessage?: string
}

export function candidateOf(reply: ChatReply, request: object = hello): Candidate {
  const made = validate(
    generateContent.reply,
    generateContent.fromCanonical(reply, request, formatContext()),
  ) as { readonly candidates: readonly Candidate[] }
  return made.candidates[0]!
}
