import { objectOf, parseJson } from '@sluice/contract'
import { chat } from '../anthropic/upstream/chat.ts'
import { readFailure } from '../anthropic/upstream/failure.ts'
import { namedInMessages } from '../anthropic/upstream/named.ts'
import { nativeMessages } from '../anthropic/upstream/native.ts'
import { claudeOutputMax } from '../families/claude.ts'
import { jsonRequest } from '../json-request.ts'
import type { Codec, Native, Protocol, UpstreamRequest } from '../protocol.ts'
import { escapeName, vertexPublisherPath } from '../vertex-address.ts'

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

const chatOnVertex: Codec<'chat'> = {
  ...chat,
  encode(request, context) {
    const { body } = chat.encode(request, context)
    const { model, settings } = context
    const value = body?.kind === 'json' ? body.value : {}
    return predict({ model, settings, stream: request.stream === true }, value)
  },
}

const messagesOnVertex: Native = {
  ...nativeMessages,
  // Vertex AI keeps no threads (Anthropic's SDKs send it none).
  takes: (request, found, model) =>
    objectOf(request)['thread'] == null && nativeMessages.takes?.(request, found, model) !== false,
  fitHeaders,
  request(call) {
    const { headers } = nativeMessages.request(call)
    const { 'anthropic-version': _, ...others } = headers ?? {}
    return predict(call, parseJson(Buffer.from(call.body).toString('utf8')), others)
  },
}

const version = 'vertex-2023-10-16'

/** Vertex knows only its own version, whatever the caller's body says. */
function predict(
  {
    model,
    stream,
    settings,
  }: Pick<Parameters<Native['request']>[0], 'model' | 'settings' | 'stream'>,
  value: unknown,
  headers?: UpstreamRequest['headers'],
): UpstreamRequest {
  const method = `${escapeName(model)}:${stream ? 'streamRawPredict' : 'rawPredict'}`
  const { model: _, anthropic_version: __, ...rest } = objectOf(value)
  const body = { anthropic_version: version, ...rest }
  return jsonRequest(vertexPublisherPath('anthropic', method, settings), body, headers)
}

/**
 * Claude on Vertex AI (https://platform.claude.com/docs/en/api/claude-on-vertex-ai): Anthropic's Messages API, with the model
 * in the address instead of the body and the version in the body instead of a header.
 */
export const vertexAnthropic: Protocol = {
  id: 'vertex-anthropic',
  codecs: { chat: chatOnVertex },
  native: { messages: messagesOnVertex },
  failure: readFailure,
  outputTokensMax: claudeOutputMax,
  named: namedInMessages,
}
