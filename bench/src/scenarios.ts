/** One kind of load, the same for every target. */
export interface Scenario {
  readonly name: string
  readonly title: string
  /** How the stub answers; see stub.ts. */
  readonly model: string
  readonly stream: boolean
  readonly body: 'small' | 'large'
  readonly connections: number
  /** How long one measurement begins requests. */
  readonly durationMs: number
  /** Length of one paced stream, over which the connections begin. */
  readonly spreadMs?: number
}

const pacedFor = (name: string, connections: number, paceMs: number): Scenario => ({
  name,
  title: `${connections} streams, an event every ${paceMs} ms`,
  model: `paced-${paceMs}`,
  stream: true,
  body: 'small',
  connections,
  durationMs: Math.max(2_000, 2 * 50 * paceMs),
  spreadMs: 50 * paceMs,
})

const unpaced = { connections: 64, durationMs: 2_000 } as const

export const chat2k: Scenario = {
  ...unpaced,
  name: 'chat-2k',
  title: 'chat, 2 KB request and reply',
  model: 'whole',
  stream: false,
  body: 'small',
}

export const burst: Scenario = {
  ...unpaced,
  name: 'burst',
  title: 'stream of 50 content events in one burst',
  model: 'burst',
  stream: true,
  body: 'small',
}

export const scenarios: readonly Scenario[] = [
  chat2k,
  {
    ...unpaced,
    name: 'chat-100k',
    title: 'chat, 100 KB request',
    model: 'whole',
    stream: false,
    body: 'large',
  },
  burst,
  pacedFor('streams-50', 50, 10),
  pacedFor('streams-200', 200, 10),
  // A quarter of the events: slow enough that no gateway's core is full, so the delays are its own and not a queue's.
  pacedFor('streams-200-calm', 200, 40),
]

const smallText = 'word '.repeat(380)
/** Two bytes in every eleven are one letter, as in most languages of Europe: such text takes the decoder's slow way. */
const largeText = 'großes Wort '.repeat(160)

export interface RequestTo {
  readonly url: URL
  readonly modelPrefix: string
  readonly headers: Readonly<Record<string, string>>
}

/** The whole request as bytes, made once and sent again and again. */
export function requestBytes(
  { model, stream, body }: Pick<Scenario, 'model' | 'stream' | 'body'>,
  { url, modelPrefix, headers }: RequestTo,
): Buffer {
  const messages =
    body === 'small'
      ? [{ role: 'user', content: smallText }]
      : Array.from({ length: 50 }, (_, index) => ({
          role: index % 2 === 0 ? 'user' : 'assistant',
          content: largeText,
        }))
  const content = Buffer.from(
    JSON.stringify({ model: modelPrefix + model, messages, ...(stream && { stream }) }),
  )
  const lines = [
    'POST /v1/chat/completions HTTP/1.1',
    `Host: ${url.host}`,
    'Content-Type: application/json',
    `Content-Length: ${content.length}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ]
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), content])
}
