import type { Shot } from '../../packages/sluice/src/cli/load/load-client.ts'
import { type Format, type StreamKind, streamKind, streamKinds } from './streams/streams.ts'

/** One kind of load, the same for every target. */
export interface Scenario {
  readonly name: string
  readonly title: string
  /** How the stub answers; see stub.ts. */
  readonly model: string
  readonly stream: boolean
  readonly body: 'small' | 'large'
  /** What a caller of a gateway speaks. A proxy is called in the upstream's format, so that it passes the same answer. */
  readonly client: Format
  readonly upstream: Format
  /** The upstream's name in the gateway. */
  readonly provider: string
  readonly connections: number
  /** How long one measurement begins requests. */
  readonly durationMs: number
  /** Length of one paced stream, over which the connections begin. */
  readonly spreadMs?: number
}

const chatOfOpenai = { client: 'chat', upstream: 'chat', provider: 'openai' } as const

/** Events of a paced stream. */
export const pacedEvents = 50

const pacedFor = (name: string, connections: number, paceMs: number): Scenario => ({
  ...chatOfOpenai,
  name,
  title: `${connections} streams, an event every ${paceMs} ms`,
  model: `paced-${paceMs}`,
  stream: true,
  body: 'small',
  connections,
  durationMs: Math.max(2_000, 2 * pacedEvents * paceMs),
  spreadMs: pacedEvents * paceMs,
})

const unpaced = { connections: 64, durationMs: 2_000 } as const

export const chat2k: Scenario = {
  ...unpaced,
  ...chatOfOpenai,
  name: 'chat-2k',
  title: 'chat, 2 KB request and reply',
  model: 'whole',
  stream: false,
  body: 'small',
}

export function burstFor({ name, title, format, provider }: StreamKind): Scenario {
  return {
    ...unpaced,
    name: `burst-${name}`,
    title: `stream of 100 events in one burst: ${title}`,
    model: `burst-${name}`,
    stream: true,
    body: 'small',
    client: format,
    upstream: format,
    provider,
  }
}

const titles = { chat: 'chat', responses: 'Responses', messages: 'Messages', gemini: 'Gemini' }

function translatedFor(client: Format, upstream: Format): Scenario {
  return {
    ...burstFor(streamKind(upstream)),
    name: `${client}-on-${upstream}`,
    title: `the same translated: client of ${titles[client]}, upstream of ${titles[upstream]}`,
    client,
  }
}

export const burst = burstFor(streamKind('chat'))
export const burstGemini = burstFor(streamKind('gemini'))

export const scenarios: readonly Scenario[] = [
  chat2k,
  { ...chat2k, name: 'chat-100k', title: 'chat, 100 KB request', body: 'large' },
  ...streamKinds.map(burstFor),
  translatedFor('chat', 'messages'),
  translatedFor('chat', 'gemini'),
  translatedFor('chat', 'responses'),
  translatedFor('messages', 'chat'),
  translatedFor('responses', 'messages'),
  translatedFor('gemini', 'chat'),
  pacedFor('streams-50', 50, 10),
  pacedFor('streams-200', 200, 10),
  // A quarter of the events: slow enough that no gateway's core is full, so the delays are its own and not a queue's.
  pacedFor('streams-200-calm', 200, 40),
]

const smallText = 'word '.repeat(380)
/** Two bytes in every eleven are one letter, as in most languages of Europe: such text takes the decoder's slow way. */
const largeText = 'großes Wort '.repeat(160)

export interface RequestTo {
  /** Whether it is called in the client's format, with the provider before the model's name. */
  readonly translates: boolean
  readonly headers: Readonly<Record<string, string>>
}

/** The request, made once and sent again and again. */
export function shotOf(
  scenario: Pick<Scenario, 'model' | 'stream' | 'body' | 'client' | 'upstream' | 'provider'>,
  { translates, headers }: RequestTo,
): Shot {
  const { model, provider, client, upstream } = scenario
  const { path, content } = translates
    ? requestIn(client, `${provider}/${model}`, scenario)
    : requestIn(upstream, model, scenario)
  return {
    path,
    headers: { 'content-type': 'application/json', ...headers },
    body: Buffer.from(JSON.stringify(content)),
  }
}

interface Asked {
  readonly path: string
  readonly content: object
}

function requestIn(
  format: Format,
  model: string,
  { stream, body }: Pick<Scenario, 'stream' | 'body'>,
): Asked {
  const texts = body === 'small' ? [smallText] : Array.from<string>({ length: 50 }).fill(largeText)
  const roles = ['user', 'assistant']
  const messages = texts.map((content, index) => ({ role: roles[index % 2], content }))
  const streamed = stream ? { stream } : {}
  if (format === 'chat') {
    const options = stream ? { stream_options: { include_usage: true } } : {}
    return { path: '/v1/chat/completions', content: { model, messages, ...streamed, ...options } }
  }
  if (format === 'messages')
    return { path: '/v1/messages', content: { model, max_tokens: 1_024, messages, ...streamed } }
  if (format === 'responses')
    return { path: '/v1/responses', content: { model, input: messages, ...streamed } }
  const contents = texts.map((text) => ({ role: 'user', parts: [{ text }] }))
  return { path: `/v1beta/models/${model}:streamGenerateContent?alt=sse`, content: { contents } }
}
