import { objectOf, parseJson } from '@sluice/contract'
import { chat } from '../anthropic/upstream/chat.ts'
import { readFailure } from '../anthropic/upstream/failure.ts'
import { namedInMessages } from '../anthropic/upstream/named.ts'
import { nativeMessages } from '../anthropic/upstream/native.ts'
import { askedBetas, betaHeader, betasIn, takenBetas } from '../claude/betas.ts'
import { claudeOutputMax } from '../families/claude.ts'
import { jsonRequest } from '../json-request.ts'
import type { Codec, Native, Protocol, UpstreamRequest } from '../protocol.ts'
import { escapeName, vertexPublisherPath } from '../vertex-address.ts'

/** Vertex has its version in the body, and only some of the betas. */
function fitHeaders(
  given: Readonly<Record<string, string>>,
  _request: unknown,
  leftOut: (name: string) => void,
): Readonly<Record<string, string>> {
  return betaHeaders(takenBetas(betasIn(given[betaHeader]), 'vertex', leftOut))
}

function betaHeaders(betas: readonly string[]): Readonly<Record<string, string>> {
  return betas.length === 0 ? {} : { [betaHeader]: betas.join(',') }
}

const chatOnVertex: Codec<'chat'> = {
  ...chat,
  encode(request, context) {
    const { body, headers } = chat.encode(request, context)
    const { model, settings, leftOut } = context
    // Its tools need betas that Vertex does not know, where those are generally available.
    const needed = takenBetas(betasIn(headers?.[betaHeader]), 'vertex', () => {})
    takenBetas(askedBetas(context), 'vertex', leftOut)
    const value = body?.kind === 'json' ? body.value : {}
    const headersOut = needed.length === 0 ? undefined : betaHeaders(needed)
    return predict({ model, settings, stream: request.stream === true }, value, headersOut)
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
