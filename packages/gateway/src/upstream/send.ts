import { isIP } from 'node:net'
import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import type { Connection, Outgoing, Receiver, Send } from '../call/send.ts'
import { addressRule, resolveBySystem } from '../media/address-rule.ts'
import { decodedEncoding } from './decoders.ts'
import { DecodedAnswer } from './decoded-answer.ts'
import type { Dispatchers, Origin, Pinned } from '../dial/dispatchers.ts'
import { type Network, originOf } from '../dial/network.ts'
import { type DownloadRules, checkedAddresses } from './downloads.ts'
import { failureOf } from './failure.ts'

export interface SenderOptions {
  /** Whether a download may lead to this address; default: public addresses. */
  readonly isAllowed?: (address: string) => boolean
  /** Resolves a host name to addresses; default: the system's resolver. */
  readonly resolve?: (hostname: string) => Promise<readonly string[]>
  /** Whether a proxy may resolve the host names of downloads; default: never. */
  readonly proxyResolves?: () => boolean
}

/** Sends requests to upstreams. */
export function createSender(
  network: Network,
  {
    isAllowed = addressRule(),
    resolve = resolveBySystem,
    proxyResolves = () => false,
  }: SenderOptions = {},
): Send {
  const sending: Sending = { network, rules: { isAllowed, resolve, proxyResolves } }
  return (outgoing, receiver) => {
    const exchange = new UpstreamExchange(outgoing, receiver)
    exchange.start(sending)
    return exchange
  }
}

const redirectsMax = 3

/** What all exchanges of a sender have in common. */
interface Sending {
  readonly network: Network
  readonly rules: DownloadRules
}

/** One request and its response, between the gateway's receiver and undici. */
class UpstreamExchange implements Connection, Dispatcher.DispatchHandler {
  readonly #receiver: Receiver
  #outgoing: Outgoing
  #sending: Sending | undefined
  #controller: Dispatcher.DispatchController | undefined
  /** A dispatcher of this request alone, closed after it. */
  #own: Dispatcher | undefined
  #redirects = 0
  #next: Outgoing | undefined
  #isSent = false
  #isPaused = false
  #isOver = false
  /** Bytes of the body that have not arrived, if the head gave its length. */
  #left = Number.POSITIVE_INFINITY
  #hasHead = false
  /** Set if the upstream compresses its response. */
  #decoded: DecodedAnswer | undefined

  constructor(outgoing: Outgoing, receiver: Receiver) {
    this.#outgoing = outgoing
    this.#receiver = receiver
  }

  get isOpen(): boolean {
    return this.#isSent
  }

  /** The first request waits until the network is open. */
  start(sending: Sending): void {
    this.#sending = sending
    if (this.#isOver) return
    const { network, rules } = sending
    const { dispatchers } = network
    if (!dispatchers) {
      network.open().then(
        () => this.start(sending),
        (cause: unknown) => this.fail(cause),
      )
      return
    }
    try {
      const destination = destinationOf(this.#outgoing.url)
      const { origin } = destination
      const { download, connectMs, dialing = {} } = this.#outgoing
      if (download === undefined || origin.name === download.home)
        this.#dispatch(dispatchers.to(origin, dialing, connectMs), destination)
      else this.#download(destination, dispatchers, rules)
    } catch (thrown) {
      // Deferred: the caller of `send` has no connection yet.
      process.nextTick(() => this.fail(thrown))
    }
  }

  pause(): void {
    this.#isPaused = true
    if (this.#decoded) this.#decoded.pause()
    else this.#hold()
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
    this.#controller?.abort(closed)
    if (this.#own) this.#release(this.#own)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#isOver) return controller.abort(closed)
    this.#controller = controller
    this.#isSent = true
    if (this.#isPaused) controller.pause()
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    given: GivenHeaders,
  ): void {
    // An interim response (RFC 9110, 15.2) comes before the response.
    if (status < 200) return
    const headers = areSingle(given) ? given : joined(given)
    if (this.#outgoing.download && this.#redirects < redirectsMax)
      this.#next = redirect(this.#outgoing, status, headers)
    if (this.#next) return
    this.#hasHead = true
    const { 'content-length': length, 'content-encoding': encodings } = headers
    this.#left = length === undefined ? Number.POSITIVE_INFINITY : Number(length)
    const encoding = encodings === undefined ? undefined : decodedEncoding(encodings)
    if (encoding === undefined) return this.#receiver.head(status, headers)
    this.#decoded = new DecodedAnswer(encoding, this.#receiver, {
      pause: () => this.#hold(),
      resume: () => controller.resume(),
      close: () => controller.abort(closed),
    })
    const { 'content-encoding': _encoding, 'content-length': _length, ...decodedHeaders } = headers
    this.#receiver.head(status, decodedHeaders)
  }

  onResponseData(_controller: Dispatcher.DispatchController, piece: Buffer): void {
    if (this.#isOver || this.#next) return
    this.#left -= piece.length
    if (this.#decoded) this.#decoded.write(piece)
    else this.#receiver.data(piece)
  }

  onResponseEnd(): void {
    this.#controller = undefined
    if (this.#own) this.#release(this.#own)
    if (this.#isOver) return
    if (this.#next) return this.#follow(this.#next)
    this.#isOver = true
    if (this.#decoded) this.#decoded.end()
    else this.#receiver.end()
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(error)
  }

  fail(cause: unknown): void {
    this.#controller = undefined
    if (this.#own) this.#release(this.#own)
    if (this.#isOver) return
    this.#isOver = true
    const error = failureOf(cause, this.#hasHead, this.#outgoing.connectMs)
    if (this.#decoded) this.#decoded.fail(error)
    else this.#receiver.fail(error)
  }

  /** Sends to an address that the upstream named. */
  #download(destination: Destination, dispatchers: Dispatchers, rules: DownloadRules): void {
    const { connectMs, dialing = {} } = this.#outgoing
    const { origin } = destination
    const proxy = dispatchers.proxyFor(origin, dialing)
    const through = proxy === undefined ? {} : { proxy }
    const isByProxy = proxy !== undefined && rules.proxyResolves() && isIP(origin.hostname) === 0
    if (isByProxy)
      return this.#dispatchPinned(destination, dispatchers.pinned(origin, through, connectMs))
    // Nothing is sent before the addresses have been checked.
    checkedAddresses(origin.hostname, rules, connectMs)
      .then((addresses) => {
        if (this.#isOver) return
        const pinned = dispatchers.pinned(origin, { ...through, addresses }, connectMs)
        this.#dispatchPinned(destination, pinned)
      })
      .catch((thrown: unknown) => this.fail(thrown))
  }

  #dispatchPinned(destination: Destination, { dispatcher, origin }: Pinned): void {
    this.#own = dispatcher
    this.#dispatch(dispatcher, { ...destination, named: origin })
  }

  #dispatch(dispatcher: Dispatcher, { origin, path, named = origin.name }: Destination): void {
    const { method, headers: given, body } = this.#outgoing
    const own = requestHeaders(given)
    // A request to the address of a host is one for the host nevertheless.
    const headers = named === origin.name ? own : { ...own, host: origin.host }
    const sent =
      body === undefined || body.length <= writtenAtOnceBytesMax
        ? { headers, body: body ?? null }
        : inPieces(headers, body)
    dispatcher.dispatch({ origin: named, path, method, ...sent }, this)
  }

  /** A response that is complete would count as cut, if the upstream closed the connection before it was read on. */
  #hold(): void {
    if (this.#left > 0) this.#controller?.pause()
  }

  #release(own: Dispatcher): void {
    own.destroy().catch(() => {})
    this.#own = undefined
  }

  #follow(next: Outgoing): void {
    this.#outgoing = next
    this.#next = undefined
    this.#redirects += 1
    if (this.#sending) this.start(this.#sending)
  }
}

const closed = new Error('The gateway has closed the connection')

interface Destination {
  readonly origin: Origin
  readonly path: string
  /** The origin that undici connects to, if it is another one. */
  readonly named?: string
}

/** Cache of parsed URLs. Upstreams have few; if a model or job is part of the URL, the oldest entries are evicted. */
const destinationsMax = 1_000
const destinations = new Map<string, Destination>()

function destinationOf(url: string): Destination {
  const known = destinations.get(url)
  if (known) return known
  const parsed = new URL(url)
  const destination = { origin: originOf(parsed), path: parsed.pathname + parsed.search }
  if (destinations.size >= destinationsMax) {
    const [oldest] = destinations.keys()
    if (oldest !== undefined) destinations.delete(oldest)
  }
  destinations.set(url, destination)
  return destination
}

/** Larger bodies are still being written when an early response ends. Undici sees that only of bodies in pieces. */
const writtenAtOnceBytesMax = 256 * 1024

function inPieces(
  headers: Outgoing['headers'],
  body: Uint8Array,
): Pick<Dispatcher.DispatchOptions, 'body' | 'headers'> {
  const length = { 'content-length': String(body.length) }
  // The types lack iterables, which are documented.
  return { headers: { ...headers, ...length }, body: [body].values() as unknown as Readable }
}

type GivenHeaders = Readonly<Record<string, string | string[] | undefined>>

/** Whether each header came once, as nearly always. */
function areSingle(headers: GivenHeaders): headers is Readonly<Record<string, string>> {
  for (const name in headers) if (typeof headers[name] !== 'string') return false
  return true
}

/** Values of a repeated header are joined. */
function joined(headers: GivenHeaders): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  )
}

/** Another origin gets no credentials, and https is never downgraded to http. */
function redirect(
  outgoing: Outgoing,
  status: number,
  { location }: Readonly<Record<string, string>>,
): Outgoing | undefined {
  if (status < 300 || status > 308) return undefined
  if (location === undefined || !URL.canParse(location, outgoing.url)) return undefined
  const from = new URL(outgoing.url)
  const to = new URL(location, from)
  if (to.protocol !== from.protocol && to.protocol !== 'https:') return undefined
  const isSame = to.origin === from.origin
  return { ...outgoing, url: to.href, headers: isSame ? outgoing.headers : { accept: '*/*' } }
}

/**
 * Headers that describe the connection or the message on it, which are not the caller's (RFC 9110, 7.6.1 and RFC 9112, 6), and the
 * password of a proxy, which is the connection's.
 */
const ofConnection: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** The headers of a request without those of its connection. */
function requestHeaders(headers: Outgoing['headers']): Outgoing['headers'] {
  for (const name in headers)
    if (ofConnection.has(name.toLowerCase()))
      return Object.fromEntries(
        Object.entries(headers).filter(([one]) => !ofConnection.has(one.toLowerCase())),
      )
  return headers
}
