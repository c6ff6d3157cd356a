/** Responses of an upstream that speaks OpenAI's protocol, for fake upstreams. */
import type { ServerResponse } from 'node:http'
import { json, type SeenRequest, sse } from './fake-upstream.ts'

export function chatReply(content: string, further: object = {}): object {
  return {
    id: 'chatcmpl-up1',
    object: 'chat.completion',
    created: 1_760_000_001,
    model: 'up-model-2026',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content, refusal: null },
        finish_reason: 'stop',
        logprobs: null,
      },
    ],
    usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
    system_fingerprint: 'fp_up',
    ...further,
  }
}

export function chunk(delta: object, finish: string | null = null, further: object = {}): object {
  return {
    id: 'chatcmpl-up1',
    object: 'chat.completion.chunk',
    created: 1_760_000_001,
    model: 'up-model-2026',
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...further,
  }
}

export const usageChunk = {
  ...chunk({}),
  choices: [],
  usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
}

export const done = 'data: [DONE]\n\n'

export const textStream: readonly (string | object)[] = [
  chunk({ role: 'assistant', content: '' }),
  chunk({ content: 'Hel' }),
  chunk({ content: 'lo' }),
  chunk({}, 'stop'),
  usageChunk,
  done,
]

/** One response of a model behind such an upstream. */
export interface Said {
  readonly text?: string
  readonly reasoning?: string
  /** Arguments as JSON text. */
  readonly calls?: readonly (readonly [id: string, name: string, text: string])[]
}

/** 40 of 100 prompt tokens were cached; 12 of 30 completion tokens were reasoning. */
const detailedUsage = {
  prompt_tokens: 100,
  completion_tokens: 30,
  total_tokens: 130,
  prompt_tokens_details: { cached_tokens: 40, audio_tokens: 0 },
  completion_tokens_details: {
    reasoning_tokens: 12,
    audio_tokens: 0,
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0,
  },
}

const finishOf = ({ calls }: Said) => (calls ? 'tool_calls' : 'stop')

function completion(said: Said): object {
  const message = {
    role: 'assistant',
    content: said.text ?? null,
    refusal: null,
    annotations: [],
    ...(said.reasoning !== undefined && { reasoning_content: said.reasoning }),
    ...(said.calls && {
      tool_calls: said.calls.map(([id, name, text]) => ({
        id,
        type: 'function',
        function: { name, arguments: text },
      })),
    }),
  }
  return chatReply('', {
    choices: [{ index: 0, message, finish_reason: finishOf(said), logprobs: null }],
    usage: detailedUsage,
    service_tier: 'default',
  })
}

const pieces = (text: string) => text.match(/[\s\S]{1,5}/g) ?? []

/** The same as a stream: small pieces, with parallel calls one after the other and the usage in a separate chunk. */
function completionStream(said: Said): readonly (string | object)[] {
  const call = (index: number, rest: object) => chunk({ tool_calls: [{ index, ...rest }] })
  return [
    chunk({ role: 'assistant', content: '', refusal: null }),
    ...pieces(said.reasoning ?? '').map((text) => chunk({ reasoning_content: text })),
    ...pieces(said.text ?? '').map((content) => chunk({ content })),
    ...(said.calls ?? []).flatMap(([id, name, text], index) => [
      call(index, { id, type: 'function', function: { name, arguments: '' } }),
      ...pieces(text).map((piece) => call(index, { function: { arguments: piece } })),
    ]),
    chunk({}, finishOf(said)),
    { ...usageChunk, usage: detailedUsage },
    done,
  ]
}

/** Responds to a chat completion request, streamed if the request asks for it. */
export async function answerCompletion(
  seen: SeenRequest,
  response: ServerResponse,
  said: Said,
): Promise<void> {
  if (seen.body['stream'] === true) return sse(response, completionStream(said))
  json(response, completion(said), {
    headers: { 'x-request-id': 'req_8f7e6d5c4b3a29181716151413' },
  })
}

/** Sends an error response in the API's format. */
export function refuseCompletion(response: ServerResponse, message: string): void {
  const error = { message, type: 'invalid_request_error', param: null, code: null }
  json(response, { error }, { status: 400 })
}
