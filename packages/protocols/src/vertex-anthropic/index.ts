import { objectOf, parseJson } from '@sluice/contract'
import { anthropic } from '../anthropic/index.ts'
import { namedInMessages } from '../anthropic/upstream/named.ts'
import { claudeOutputMax } from '../families/claude.ts'
import type { Codec, Native, Protocol, UpstreamBody } from '../protocol.ts'
import { escapeName, vertexPublisherPath } from '../vertex-address.ts'

type Settings = Readonly<Record<string, string>>

/**
 * Claude on Vertex AI (https://platform.claude.com/docs/en/api/claude-on-vertex-ai): Anthropic's Messages API, with the model
 * in the address instead of the body and the version in the body instead of a header.
 */
export const vertexAnthropic: Protocol = {
  id: 'vertex-anthropic',
  codecs: anthropic.codecs.chat === undefined ? {} : { chat: chatOnVertex(anthropic.codecs.chat) },
  native:
    anthropic.native.messages === undefined
      ? {}
      : { messages: messagesOnVertex(anthropic.native.messages) },
  failure: (received) => anthropic.failure(received),
  outputTokensMax: claudeOutputMax,
  named: namedInMessages,
}

const version = 'vertex-2023-10-16'

function chatOnVertex(chat: Codec<'chat'>): Codec<'chat'> {
  return {
    ...chat,
    encode(request, context) {
      const { body } = chat.encode(request, context)
      return {
        method: 'POST',
        path: addressOf(context.model, request.stream === true, context.settings),
        body: withoutModel(body?.kind === 'json' ? body.value : {}),
      }
    },
  }
}

function messagesOnVertex(messages: Native): Native {
  return {
    ...messages,
    // Vertex AI keeps no threads (Anthropic's SDKs send it none).
    fits: (request, model) =>
      objectOf(request)['thread'] == null && messages.fits?.(request, model) !== false,
    request(call) {
      const { headers } = messages.request(call)
      const value = parseJson(Buffer.from(call.body).toString('utf8'))
      const { 'anthropic-version': _, ...others } = headers ?? {}
      return {
        method: 'POST',
        path: addressOf(call.model, call.stream, call.settings),
        headers: others,
        body: withoutModel(value),
      }
    },
  }
}

function addressOf(model: string, stream: boolean, settings: Settings): string {
  const method = stream ? 'streamRawPredict' : 'rawPredict'
  return vertexPublisherPath('anthropic', `${escapeName(model)}:${method}`, settings)
}

function withoutModel(value: unknown): UpstreamBody {
  const { model: _, ...rest } = objectOf(value)
  return { kind: 'json', value: { anthropic_version: version, ...rest } }
}
