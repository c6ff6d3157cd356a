import { GatewayError } from '@sluice/contract'
import { Agent, type Dispatcher, errors } from 'undici'
import type { Connection, Outgoing, Receiver, Send } from '../gateway/attempt/send.ts'
import { DecodedAnswer } from './decoded-answer.ts'
import { decodedEncoding } from './decoders.ts'

export interface Sender extends AsyncDisposable {
  readonly send: Send
}

/** Idle connections stay open for a minute, because a handshake costs more than the rest of a request. */
const keepAliveMs = 60_000

/** Opens the connection pools to upstreams, the only way to the network. Disposing closes them. */
export function openSender(): Sender {
  const agents = new Map<number, Agent>()

  function agentFor(connectMs: number): Agent {
    const known = agents.get(connectMs)
    if (known) return known
    const agent = new Agent({
      connect: { timeout: connectMs },
      keepAliveTimeout: keepAliveMs,
      // The gateway has its own timeout for every phase; undici's would only hide which one was reached.
      headersTimeout: 0,
      bodyTimeout: 0,
      allowH2: false,
    })
    agents.set(connectMs, agent)
    return agent
  }

  return {
    send(outgoing, receiver) {
      const exchange = new UpstreamExchange(agentFor(outgoing.connectMs), outgoing, receiver)
      exchange.start()
      return exchange
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...agents.values()].map((agent) => agent.destroy()))
    },
  }
}

const redirectsMax = 3

/** One request and its response, connecting undici's handler to the gateway's receiver. */
class UpstreamExchange implements Connection, Dispatcher.DispatchHandler {
  readonly #agent: Agent
  readonly #receiver: Receiver
  #outgoing: Outgoing
  #redirects = 0
  #next: Outgoing | undefined
  #controller: Dispatcher.DispatchController | undefined
  #isPaused = false
  #isOver = false
  #hasHead = false
  /** Set if the upstream compresses its response. */
  #decoded: DecodedAnswer | undefined

  constructor(agent: Agent, outgoing: Outgoing, receiver: Receiver) {
    this.#agent = agent
    this.#outgoing = outgoing
    this.#receiver = receiver
  }

  get isOpen(): boolean {
    return this.#controller !== undefined
  }

  start(): void {
    const { method, url, headers, body } = this.#outgoing
    try {
      const { origin, path } = placeOf(url)
      this.#agent.dispatch({ origin, path, method, headers, body: body ?? null }, this)
    } catch (thrown) {
      // Deferred: the caller of `send` has no connection yet.
      process.nextTick(() => this.#fail(thrown))
    }
  }

  pause(): void {
    this.#isPaused = true
    if (this.#decoded) this.#decoded.pause()
    else this.#controller?.pause()
  }

  resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    if (this.#decoded) this.#decoded.resume()
    else this.#controller?.resume()
  }

  close(): void {
    this.#decoded?.close()
    if (this.#isOver) return
    this.#isOver = true
    this.#controller?.abort(new Error('Closed by the gateway'))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#isOver) controller.abort(new Error('Closed by the gateway'))
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    // Not used, and they would keep the bytes of the response headers alive.
    controller.rawHeaders = null
    if (this.#isOver || status < 200) return
    this.#next =
      this.#redirects < redirectsMax ? redirect(this.#outgoing, status, headers) : undefined
    if (this.#next) return
    this.#hasHead = true
    const flat = flatten(headers)
    const encoding = decodedEncoding(flat['content-encoding'])
    if (encoding === undefined) return this.#receiver.head(status, flat)
    this.#decoded = new DecodedAnswer(encoding, this.#receiver, controller)
    const { 'content-encoding': _encoding, 'content-length': _length, ...decodedHeaders } = flat
    this.#receiver.head(status, decodedHeaders)
  }

  onResponseData(_controller: Dispatcher.DispatchController, piece: Buffer): void {
    if (this.#isOver || this.#next) return
    if (this.#decoded) this.#decoded.write(piece)
    else this.#receiver.data(piece)
  }

  onResponseEnd(): void {
    if (this.#isOver) return
    if (!this.#next) {
      this.#isOver = true
      if (this.#decoded) this.#decoded.end()
      else this.#receiver.end()
      return
    }
    this.#outgoing = this.#next
    this.#next = undefined
    this.#redirects += 1
    this.start()
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error)
  }

  #fail(thrown: unknown): void {
    if (this.#isOver) return
    this.#isOver = true
    const error = this.#hasHead
      ? new GatewayError(
          'upstream_cut',
          'The upstream closed the connection before its response was complete',
          { cause: thrown },
        )
      : unreachable(thrown, this.#outgoing.connectMs)
    if (this.#decoded) this.#decoded.fail(error)
    else this.#receiver.fail(error)
  }
}

interface Place {
  readonly origin: string
  readonly path: string
}

/** Cache of parsed URLs. Upstreams have few; if a model or job is part of the URL, the oldest entries are evicted. */
const placesMax = 1_000
const places = new Map<string, Place>()

function placeOf(url: string): Place {
  const known = places.get(url)
  if (known) return known
  const { origin, pathname, search } = new URL(url)
  const place = { origin, path: pathname + search }
  if (places.size >= placesMax) {
    const [oldest] = places.keys()
    if (oldest !== undefined) places.delete(oldest)
  }
  places.set(url, place)
  return place
}

/** Follows redirects of downloads. Another origin gets no credentials, and https is never downgraded to http. */
function redirect(
  outgoing: Outgoing,
  status: number,
  { location }: Readonly<Record<string, string | string[] | undefined>>,
): Outgoing | undefined {
  if (outgoing.method !== 'GET' || status < 300 || status > 308) return undefined
  if (typeof location !== 'string' || !URL.canParse(location, outgoing.url)) return undefined
  const from = new URL(outgoing.url)
  const to = new URL(location, from)
  if (to.protocol !== from.protocol && to.protocol !== 'https:') return undefined
  const isSame = to.origin === from.origin
  return { ...outgoing, url: to.href, headers: isSame ? outgoing.headers : { accept: '*/*' } }
}

/** Joins repeated headers, which are rare. */
function flatten(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Readonly<Record<string, string>> {
  for (const name in headers)
    if (typeof headers[name] !== 'string')
      return Object.fromEntries(
        Object.entries(headers).flatMap(([key, value]) =>
          value === undefined ? [] : [[key, typeof value === 'string' ? value : value.join(', ')]],
        ),
      )
  return headers as Readonly<Record<string, string>>
}

function unreachable(thrown: unknown, connectMs: number): GatewayError {
  if (thrown instanceof errors.ConnectTimeoutError)
    return new GatewayError(
      'upstream_timeout',
      `The upstream could not be reached within ${connectMs} ms (connectMs)`,
      { cause: thrown },
    )
  return new GatewayError('upstream_unavailable', 'The upstream could not be reached', {
    cause: thrown,
  })
}
