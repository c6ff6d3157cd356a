import { answerMessage, anthropicMessage, textBlock } from '../fakes/anthropic-wire.ts'
import type { Answering } from '../fakes/fake-upstream.ts'
import { answerContent } from '../fakes/gemini-wire.ts'
import { answerCompletion } from '../fakes/openai-wire.ts'
import { answerResponse, messageItem } from '../fakes/responses-wire.ts'
import type { Started } from '../start.ts'

/** The formats in which clients chat. */
export const chatFaces = ['chat', 'responses', 'messages', 'gemini'] as const
export type ChatFace = (typeof chatFaces)[number]

export interface FaceRequest {
  readonly model: string
  readonly text?: string
  readonly stream?: boolean
  /** Further fields, as the format has them. */
  readonly further?: object
  readonly headers?: Record<string, string>
  readonly key?: string
}

/** Asks a short question in a format. */
export function postAs(
  gateway: Started,
  face: ChatFace,
  { model, text = 'Hi', stream = false, further = {}, ...options }: FaceRequest,
): Promise<Response> {
  const messages = [{ role: 'user', content: text }]
  switch (face) {
    case 'chat':
      return gateway.post('/v1/chat/completions', { model, messages, stream, ...further }, options)
    case 'responses':
      return gateway.post('/v1/responses', { model, input: text, stream, ...further }, options)
    case 'messages':
      return gateway.post(
        '/v1/messages',
        { model, max_tokens: 2000, messages, stream, ...further },
        options,
      )
    case 'gemini': {
      const verb = stream ? 'streamGenerateContent?alt=sse' : 'generateContent'
      const contents = [{ role: 'user', parts: [{ text }] }]
      return gateway.post(
        `/v1beta/models/${encodeURIComponent(model)}:${verb}`,
        { contents, ...further },
        options,
      )
    }
  }
}

/** Upstreams that answer `Hello` in their own format, as a stream where one is asked for. */
export const answering = {
  // OpenAI's own servers, and many others, have both addresses.
  openai: (seen, response) =>
    seen.path.endsWith('/responses')
      ? answerResponse(seen, response, [messageItem('Hello')])
      : answerCompletion(seen, response, { text: 'Hello' }),
  'openai-responses': (seen, response) => answerResponse(seen, response, [messageItem('Hello')]),
  anthropic: (seen, response) =>
    answerMessage(seen, response, anthropicMessage([textBlock('Hello')])),
  gemini: (seen, response) => answerContent(seen, response, [{ text: 'Hello' }]),
} as const satisfies Readonly<Record<string, Answering>>

export type UpstreamType = keyof typeof answering
export const upstreamTypes = Object.keys(answering) as UpstreamType[]
