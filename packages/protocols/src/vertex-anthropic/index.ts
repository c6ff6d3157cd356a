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

/**
 * The betas that Vertex takes; it refuses a request with any other (https://platform.claude.com/docs/en/api/beta-headers, and
 * what clients report).
 */
const betas: ReadonlySet<string> = new Set([
  'claude-code-20250219',
  'compact-2026-01-12',
  'compact-2026-09-04',
  'computer-use-2025-01-24',
  'computer-use-2025-11-24',
  'context-1m-2025-08-07',
  'context-management-2025-06-27',
  'dangerous-tool-use-2026-09-03',
  'interleaved-thinking-2025-05-14',
  'per-turn-control-2026-07-01',
  'thinking-binding-controls-2026-08-01',
  'thinking-display-updates-2026-08-18',
  'tool-search-tool-2025-10-19',
  'web-search-2025-03-05',
])

/** Vertex has its version in the body, and only some of the betas. */
function fitHeaders(
  given: Readonly<Record<string, string>>,
  _request: unknown,
  leftOut: (name: string) => void,
): Readonly<Record<string, string>> {
  const asked = (given['anthropic-beta'] ?? '').split(',').map((beta) => beta.trim())
  const taken = asked.filter((beta) => betas.has(beta))
  if (taken.length < asked.filter((beta) => beta !== '').length) leftOut('anthropic-beta')
  return taken.length === 0 ? {} : { 'anthropic-beta': taken.join(',') }
}

function messagesOnVertex(messages: Native): Native {
  return {
    ...messages,
    // Vertex AI keeps no threads (Anthropic's SDKs send it none).
    takes: (request, found, model) =>
      objectOf(request)['thread'] == null && messages.takes?.(request, found, model) !== false,
    fitHeaders,
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

/** Vertex knows only its own version, whatever the caller's body says. */
function withoutModel(value: unknown): UpstreamBody {
  const { model: _, anthropic_version: __, ...rest } = objectOf(value)
  return { kind: 'json', value: { anthropic_version: version, ...rest } }
}
