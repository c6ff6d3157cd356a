import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/** What a client has seen of one call. */
export interface SeenCall {
  readonly id: string
  /** What its answer said that it used; undefined where its end was not seen. */
  readonly tokens?: number
  /** Pieces of the answer that came. */
  readonly pieces: number
}

const streamPieces = 20
const pieceMs = 15

/** An upstream that speaks OpenAI's chat: whole answers, streams, and now and then an error, which is tried again. */
export async function openUpstream(): Promise<Server & AsyncDisposable> {
  let count = 0
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      if (request.method !== 'POST') return answer(response, 404, {})
      count += 1
      const body = JSON.parse(Buffer.concat(parts).toString()) as { stream?: boolean }
      const usage = { prompt_tokens: 7, completion_tokens: (count % 90) + 10, total_tokens: 0 }
      if (count % 13 === 0) answer(response, 500, { error: { message: 'once in a while' } })
      else if (body.stream === true) void stream(response, usage)
      else setTimeout(() => answer(response, 200, whole(usage)), count % 20)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return Object.assign(server, {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  })
}

export function addressOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

const whole = (usage: object) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'word' }, finish_reason: 'stop' }],
  usage,
})

async function stream(response: ServerResponse, usage: object): Promise<void> {
  const say = (fields: object) =>
    response.write(
      `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm', ...fields })}\n\n`,
    )
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (let piece = 0; piece < streamPieces && !response.destroyed; piece += 1) {
    say({
      choices: [{ index: 0, delta: { role: 'assistant', content: 'word ' }, finish_reason: null }],
    })
    await pause(pieceMs)
  }
  say({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
  say({ choices: [], usage })
  response.end('data: [DONE]\n\n')
}

/** Asks until the signal says stop, and tells every call of which an answer was seen. Some leave in the middle. */
export async function askOn(
  url: string,
  worker: number,
  { signal, seen }: { signal: AbortSignal; seen: (call: SeenCall) => void },
): Promise<void> {
  for (let turn = worker; !signal.aborted; turn += 1) {
    const isStream = turn % 3 !== 0
    try {
      await askOnce(url, { isStream, leaveAfter: turn % 7 === 0 ? 4 : Infinity, seen })
    } catch {
      // The gateway was killed: what was seen before has been told.
      await pause(20)
    }
  }
}

async function askOnce(
  url: string,
  {
    isStream,
    leaveAfter,
    seen,
  }: { isStream: boolean; leaveAfter: number; seen: (call: SeenCall) => void },
): Promise<void> {
  const leaving = new AbortController()
  const answered = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer key', 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'openai/m',
      stream: isStream,
      ...(isStream && { stream_options: { include_usage: true } }),
      messages: [{ role: 'user', content: 'Say twenty words.' }],
    }),
    signal: leaving.signal,
  })
  const id = answered.headers.get('x-request-id') ?? ''
  let text = ''
  let pieces = 0
  try {
    for await (const part of answered.body!.pipeThrough(new TextDecoderStream())) {
      text += part
      pieces = isStream ? text.split('"content"').length - 1 : 1
      if (pieces >= leaveAfter && isStream) break
    }
  } finally {
    const tokens = /"completion_tokens":(\d+)/.exec(text)?.[1]
    const isWhole = isStream ? text.includes('[DONE]') : text.endsWith('}')
    if (answered.ok)
      seen({ id, pieces, ...(isWhole && tokens !== undefined && { tokens: Number(tokens) }) })
    leaving.abort()
  }
}
