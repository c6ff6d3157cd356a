import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/** What a client has seen of one call. */
export interface SeenCall {
  readonly id: string
  /** The output tokens that its answer said; undefined where its end was not seen, and of what has none. */
  readonly tokens?: number
  /** What an embedding, speech or a video has used, each in its own unit; undefined where its end was not seen. */
  readonly units?: number
  /** Pieces of the answer that came. */
  readonly pieces: number
  /** Attempts that the answer was put together of. */
  readonly parts: number
}

export interface Upstream extends AsyncDisposable {
  readonly url: string
  /** Tokens, characters or seconds of what was answered in whole, by the id that the upstream gave the request. */
  readonly told: ReadonlyMap<string, number>
}

const streamPieces = 20
const pieceMs = 15

const choices = 3
const promptTokens = 7
const videoSeconds = 4

/**
 * What the gateways are set to: names that are tried again, hedged, fall back and are fanned out. A token, a character and a
 * second cost a millionth of a dollar each, so that a cost is a sum of them.
 */
export function configuration({ url }: Upstream) {
  const openai = { type: 'openai', key: 'k', baseUrl: `${url}/v1` }
  const retries = { attempts: 2, baseMs: 1 }
  return {
    prices: { '*': { input: 1, output: 1, characters: 1, videoSeconds: 0.000_001 } },
    providers: {
      up: openai,
      other: openai,
      single: { type: 'anthropic', key: 'k', baseUrl: url },
    },
    models: {
      again: { targets: [{ target: 'up/m' }], retries },
      hedged: {
        targets: [{ target: 'up/m' }],
        fallback: ['other/m'],
        hedge: { enabled: true, delayMs: 5 },
        retries,
      },
      falling: { targets: [{ target: 'up/broken' }], fallback: ['other/m'], retries },
      fanned: { targets: [{ target: 'single/m' }], retries },
    },
  }
}

const names = ['again', 'hedged', 'falling', 'fanned'] as const

/**
 * An upstream that speaks OpenAI's chat, embeddings, speech and videos, and Anthropic's messages: whole answers, streams, and
 * now and then an error, which is tried again.
 */
export async function openUpstream(): Promise<Upstream> {
  const told = new Map<string, number>()
  let count = 0
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      if (request.method !== 'POST') return answer(response, 404, {})
      count += 1
      const id = `asked-${count}`
      response.setHeader('x-request-id', id).setHeader('request-id', id)
      const text = Buffer.concat(parts).toString()
      if (request.url?.endsWith('/videos')) {
        told.set(id, videoSeconds)
        return answer(response, 200, video(id))
      }
      const body = JSON.parse(text) as { stream?: boolean; model: string; input?: string }
      const output = (count % 90) + 10
      if (count % 13 === 0 || body.model === 'broken')
        return answer(response, 500, { error: { message: 'once in a while' } })
      if (request.url?.endsWith('/speech')) {
        told.set(id, body.input?.length ?? 0)
        return void response.writeHead(200, { 'content-type': 'audio/mpeg' }).end('sound')
      }
      if (request.url?.endsWith('/embeddings')) {
        told.set(id, output)
        return answer(response, 200, embedding(output))
      }
      told.set(id, promptTokens + output)
      const usage = { prompt_tokens: promptTokens, completion_tokens: output, total_tokens: 0 }
      if (body.stream === true) return void stream(response, usage)
      const reply = request.url?.endsWith('/messages') ? message(output) : whole(usage)
      setTimeout(() => answer(response, 200, reply), count % 20)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    told,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

const message = (output: number) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [{ type: 'text', text: 'word' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: promptTokens, output_tokens: output },
})

const embedding = (tokens: number) => ({
  object: 'list',
  model: 'm',
  data: [{ object: 'embedding', index: 0, embedding: [0.5, 0.25] }],
  usage: { prompt_tokens: tokens, total_tokens: tokens },
})

const video = (id: string) => ({
  id: `video_${id}`,
  object: 'video',
  model: 'sora-2',
  status: 'queued',
  progress: 0,
  created_at: 1,
  size: '720x1280',
  seconds: String(videoSeconds),
})

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
    const model = names[turn % names.length] ?? 'again'
    const isStream = model !== 'fanned' && turn % 3 !== 0
    try {
      if (turn % 5 === 0) await askOther(url, { kind: kinds[(turn / 5) % kinds.length], seen })
      else await askOnce(url, { model, isStream, leaveAfter: turn % 7 === 0 ? 4 : Infinity, seen })
    } catch {
      // The gateway was killed: what was seen before has been told.
      await pause(20)
    }
  }
}

const kinds = ['embeddings', 'speech', 'videos'] as const

/** What is no chat: each has its own unit, and is answered in whole. */
async function askOther(
  url: string,
  {
    kind = 'embeddings',
    seen,
  }: { kind: (typeof kinds)[number] | undefined; seen: (call: SeenCall) => void },
): Promise<void> {
  const input = 'Twenty words, or fewer.'
  const path = kind === 'speech' ? 'audio/speech' : kind
  const asked =
    kind === 'videos'
      ? { model: 'up/sora-2', prompt: input, seconds: String(videoSeconds) }
      : { model: 'up/m', input, voice: kind === 'speech' ? 'alloy' : undefined }
  const answered = await fetch(`${url}/v1/${path}`, {
    method: 'POST',
    headers: { authorization: 'Bearer key', 'content-type': 'application/json' },
    body: JSON.stringify(asked),
  })
  const id = answered.headers.get('x-request-id') ?? ''
  if (!answered.ok) return
  try {
    const text = await answered.text()
    const tokens = Number(/"prompt_tokens":(\d+)/.exec(text)?.[1])
    const units = { embeddings: tokens, speech: input.length, videos: videoSeconds }[kind]
    seen({ id, pieces: 1, parts: 1, units })
  } catch {
    seen({ id, pieces: 0, parts: 1 })
  }
}

interface Asked {
  readonly model: (typeof names)[number]
  readonly isStream: boolean
  readonly leaveAfter: number
  readonly seen: (call: SeenCall) => void
}

async function askOnce(url: string, { model, isStream, leaveAfter, seen }: Asked): Promise<void> {
  const leaving = new AbortController()
  const parts = model === 'fanned' ? choices : 1
  const answered = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer key', 'content-type': 'application/json' },
    body: JSON.stringify({
      model,
      n: parts,
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
      seen({
        id,
        pieces,
        parts,
        ...(isWhole && tokens !== undefined && { tokens: Number(tokens) }),
      })
    leaving.abort()
  }
}
