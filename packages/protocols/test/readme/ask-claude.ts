import { type ChatReply, type ChatRequest, parseJson } from '@sluice/contract'
import { anthropic } from '@sluice/protocols/anthropic/index.ts'
import type { CodecContext, Received } from '@sluice/protocols/protocol.ts'

/** Asks Claude with an OpenAI request, and answers with an OpenAI reply. */
export async function askClaude(
  request: ChatRequest,
  fetch: typeof globalThis.fetch,
): Promise<ChatReply> {
  const { chat } = anthropic.codecs
  if (!chat) throw new Error('This protocol has no chat')
  const context: CodecContext = {
    model: 'claude-sonnet-5-5',
    family: 'claude-sonnet-5-5',
    publicModel: request.model,
    // What Claude cannot do is refused; what only advises is left out.
    unsupported: (param, reason = 'not supported') => {
      throw new Error(`${param}: ${reason}`)
    },
    leftOut: (param) => console.warn(`${param} was left out`),
    now: Date.now,
    newId: (prefix) => prefix + crypto.randomUUID(),
    settings: {},
    media: new Map(),
  }
  const { path, body } = chat.encode(request, context)
  const response = await fetch(`https://api.anthropic.com${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
    body: body?.kind === 'json' ? JSON.stringify(body.value) : null,
  })
  const bytes = new Uint8Array(await response.arrayBuffer())
  const received: Received = {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    contentType: response.headers.get('content-type') ?? '',
    bytes,
    json: () => parseJson(new TextDecoder().decode(bytes)),
  }
  if (!response.ok) throw new Error(anthropic.failure(received).message)
  return chat.decode(received, context, request).reply
}
