import { GatewayError } from '@sluice/contract'
import { type Client, type Dispatcher, errors } from 'undici'
import type { Connection, Outgoing, Receiver, Send } from '../gateway/attempt/send.ts'
import { Connections } from './connections.ts'
import { DecodedAnswer } from './decoded-answer.ts'
import { decodedEncoding } from './decoders.ts'

export interface Sender extends AsyncDisposable {
  readonly send: Send
}

/** Opens the connections to upstreams, the only way to the network. Disposing closes them. */
export function openSender(): Sender {
  const byTimeout = new Map<number, Connections>()

  function connectionsFor(connectMs: number): Connections {
    const known = byTimeout.get(connectMs)
    if (known) return known
    const connections = new Connections(connectMs)
    byTimeout.set(connectMs, connections)
    return connections
  }

  return {
    send(outgoing, receiver) {
      const connections = connectionsFor(outgoing.connectMs)
      const exchange = new UpstreamExchange(connections, outgoing, receiver)
      exchange.start()
      return exchange
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...byTimeout.values()].map((one) => one[Symbol.asyncDispose]()))
    },
  }
}

const redirectsMax = 3

/** One request and its response, connecting undici's handler to the gateway's receiver. */
class UpstreamExchange implements Connection, Dispatcher.DispatchHandler {
  readonly #connections: Connections
  readonly #receiver: Receiver
  #outgoing: Outgoing
  /** The connection in use, and its origin. */
  #client: Client | undefined
  #origin = ''
  #redirects = 0
  #next: Outgoing | undefined
  #controller: Dispatcher.DispatchController | undefined
  #isPaused = false
  #isOver = false
  #hasHead = false
  /** Set if the upstream compresses its response. */
  #decoded: DecodedAnswer | undefined

  constructor(connections: Connections, outgoing: Outgoing, receiver: Receiver) {
    this.#connections = connections
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
      this.#origin = origin
      this.#client = this.#connections.take(origin)
      this.#client.dispatch({ path, method, headers, body: body ?? null }, this)
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
    try {
      this.#ended()
    } finally {
      this.#giveBack()
    }
    if (this.#isOver || !this.#next) return
    this.#outgoing = this.#next
    this.#next = undefined
    this.#redirects += 1
    this.start()
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error)
  }

  #ended(): void {
    if (this.#isOver || this.#next) return
    this.#isOver = true
    if (this.#decoded) this.#decoded.end()
    else this.#receiver.end()
  }

  #giveBack(): void {
    if (this.#client) this.#connections.giveBack(this.#origin, this.#client)
    this.#client = undefined
  }

  #fail(thrown: unknown): void {
    this.#giveBack()
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
