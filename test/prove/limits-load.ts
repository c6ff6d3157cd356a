import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/** What one call of each kind takes, and how long its upstream works on it. */
export interface Kind {
  readonly name: string
  /** Tokens that the upstream says were used; what is reserved is a little more. */
  readonly tokens: number
  /** Tokens that a call asks for. Default: those that are used. */
  readonly most?: number
  readonly upstreamMs: number
}

/** A call as the upstream saw it, in milliseconds of `performance.now`. */
export interface Arrival {
  readonly kind: string
  readonly at: number
  readonly endedAt: number
}

/** An upstream that writes down what reached it: the only witness of what was admitted. Its models are the kinds. */
export async function openWitness(
  kinds: readonly Kind[],
): Promise<{ readonly arrivals: readonly Arrival[]; readonly url: string } & AsyncDisposable> {
  const arrivals: Arrival[] = []
  const server = createServer((incoming, response) => {
    const parts: Buffer[] = []
    incoming.on('data', (part: Buffer) => parts.push(part))
    incoming.on('end', () => {
      const at = performance.now()
      const text = Buffer.concat(parts).toString()
      const kind = kinds.find(({ name }) => text.includes(`"model":"${name}"`))
      if (!kind) return response.writeHead(404).end()
      setTimeout(() => {
        arrivals.push({ kind: kind.name, at, endedAt: performance.now() })
        response.writeHead(200, { 'content-type': 'application/json' }).end(answerOf(kind))
      }, kind.upstreamMs)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    arrivals,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function answerOf({ tokens }: Kind): string {
  const message = { role: 'assistant', content: 'word', refusal: null }
  return JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message, finish_reason: 'stop', logprobs: null }],
    usage: { prompt_tokens: 1, completion_tokens: tokens - 1, total_tokens: tokens },
  })
}

export interface Asking {
  readonly kind: Kind
  /** The gateways, which are asked in turn. */
  readonly urls: readonly string[]
  readonly signal: AbortSignal
  /** Told of the status of each answer. */
  readonly answered: (status: number) => void
}

const waitingMax = 200

/** Asks so many times a second, whatever is answered; fewer where that many wait for their answers. */
export async function askSteadily(asking: Asking, perSecond: number): Promise<void> {
  const waiting = new Set<Promise<number>>()
  let answered = Promise.withResolvers<void>()
  const from = performance.now()
  for (let count = 0; !asking.signal.aborted; count += 1) {
    const early = from + (count * 1_000) / perSecond - performance.now()
    if (early > 1) await pause(early)
    // Not a race of all of them: each would then remember every race that it was in.
    if (waiting.size >= waitingMax) {
      answered = Promise.withResolvers()
      await answered.promise
    }
    const one = askOnce(asking, count).finally(() => {
      waiting.delete(one)
      answered.resolve()
    })
    waiting.add(one)
  }
  await Promise.all(waiting)
}

/** When those who were refused ask again after somebody else was answered, in milliseconds: a place is free then. */
const afterAnswerMs = [0, 3, 10, 30, 100]

/**
 * So many callers who ask again as soon as they were answered. Of those who were refused some ask when another one was answered,
 * and each does after a while: so there is always somebody to take a place, and nobody who asks in vain all the time.
 */
export async function askAtOnce(
  asking: Asking,
  { callers, pauseMs }: { readonly callers: number; readonly pauseMs: number },
): Promise<void> {
  const refused = new Set<() => void>()
  const wake = () => {
    const [first] = refused
    first?.()
  }
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      await pause((caller * pauseMs) / callers)
      for (let count = caller; !asking.signal.aborted; count += 1) {
        const status = await askOnce(asking, count)
        if (status === 200) for (const ms of afterAnswerMs) setTimeout(wake, ms)
        else await woken(refused, pauseMs)
      }
    }),
  )
}

/** Until somebody wakes this one, or it has waited for so long. */
function woken(refused: Set<() => void>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer)
      refused.delete(wake)
      resolve()
    }
    const timer = setTimeout(wake, ms)
    refused.add(wake)
  })
}

const agent = new Agent({ keepAlive: true })

/** 0 where there was no answer. */
function askOnce({ kind, urls, answered }: Asking, turn: number): Promise<number> {
  const body = JSON.stringify({
    model: `openai/${kind.name}`,
    max_completion_tokens: kind.most ?? kind.tokens,
    messages: [{ role: 'user', content: 'Hi' }],
  })
  const headers = {
    authorization: `Bearer sk-${kind.name}`,
    'content-type': 'application/json',
    'content-length': body.length,
  }
  return new Promise((resolve) => {
    const told = (status: number) => {
      answered(status)
      resolve(status)
    }
    const url = `${urls[turn % urls.length]}/v1/chat/completions`
    const outgoing = request(url, { method: 'POST', agent, headers }, (response) => {
      response.resume()
      response.on('end', () => told(response.statusCode ?? 0))
      response.on('error', () => told(0))
    })
    outgoing.on('error', () => told(0))
    outgoing.end(body)
  })
}
