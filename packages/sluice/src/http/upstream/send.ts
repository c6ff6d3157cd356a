import { isIP } from 'node:net'
import { GatewayError } from '@sluice/contract'
import type { Connection, Outgoing, Receiver, Send } from '../../gateway/attempt/send.ts'
import { untilAborted } from '../../gateway/attempt/until-aborted.ts'
import { addressRule, resolveBySystem } from '../address-rule.ts'
import { decodedEncoding } from '../decoders.ts'
import { ConnectTimeout, type Origin } from './connect.ts'
import type { Exchange, UpstreamConnection } from './connection.ts'
import { Connections } from './connections.ts'
import { DecodedAnswer } from './decoded-answer.ts'
import { InvalidResponse } from './invalid-response.ts'
import { requestBytes } from './request-bytes.ts'

export interface Sender extends AsyncDisposable {
  readonly send: Send
}

export interface SenderOptions {
  /** Whether a download may lead to this address; default: public addresses. */
  readonly isAllowed?: (address: string) => boolean
  /** Resolves a host name to addresses; default: the system's resolver. */
  readonly resolve?: (hostname: string) => Promise<readonly string[]>
}

/** Opens the connections to upstreams, the only way to the network. Disposing closes them. */
export function openSender({
  isAllowed = addressRule(),
  resolve = resolveBySystem,
}: SenderOptions = {}): Sender {
  const rules: DownloadRules = { isAllowed, resolve }
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
      const exchange = new UpstreamExchange({ connections, rules }, outgoing, receiver)
      exchange.start()
      return exchange
    },
    async [Symbol.asyncDispose]() {
      for (const connections of byTimeout.values()) connections[Symbol.dispose]()
    },
  }
}

const redirectsMax = 3

/** One request and its response, connecting the gateway's receiver to a connection. */
class UpstreamExchange implements Connection, Exchange {
  readonly #connections: Connections
  readonly #rules: DownloadRules
  readonly #receiver: Receiver
  #outgoing: Outgoing
  #connection: UpstreamConnection | undefined
  #redirects = 0
  #next: Outgoing | undefined
  #isSent = false
  #isPaused = false
  #isOver = false
  #hasHead = false
  /** Set if the upstream compresses its response. */
  #decoded: DecodedAnswer | undefined

  constructor(
    { connections, rules }: { readonly connections: Connections; readonly rules: DownloadRules },
    outgoing: Outgoing,
    receiver: Receiver,
  ) {
    this.#connections = connections
    this.#rules = rules
    this.#outgoing = outgoing
    this.#receiver = receiver
  }

  get isOpen(): boolean {
    return this.#isSent
  }

  get isOver(): boolean {
    return this.#isOver
  }

  start(): void {
    try {
      const place = placeOf(this.#outgoing.url)
      const { download, connectMs } = this.#outgoing
      if (download === undefined || place.origin.name === download.home) return this.#send(place)
      // Nothing is sent before the addresses have been checked.
      checkedPlace(place, this.#rules, connectMs).then(
        (checked) => this.#isOver || this.#send(checked),
        (thrown: unknown) => this.onError(thrown),
      )
    } catch (thrown) {
      // Deferred: the caller of `send` has no connection yet.
      process.nextTick(() => this.onError(thrown))
    }
  }

  #send({ origin, path }: Place): void {
    this.#connections.send(origin, requestBytes(this.#outgoing, { host: origin.host, path }), this)
  }

  pause(): void {
    this.#isPaused = true
    if (this.#decoded) this.#decoded.pause()
    else this.#connection?.pause()
  }

  resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    if (this.#decoded) this.#decoded.resume()
    else this.#connection?.resume()
  }

  close(): void {
    this.#decoded?.close()
    if (this.#isOver) return
    this.#isOver = true
    this.#connection?.close()
  }

  onConnection(connection: UpstreamConnection): void {
    this.#connection = connection
  }

  onSent(): void {
    this.#isSent = true
  }

  onHead(status: number, headers: Readonly<Record<string, string>>): void {
    this.#next =
      this.#redirects < redirectsMax ? redirect(this.#outgoing, status, headers) : undefined
    if (this.#next) return
    this.#hasHead = true
    const encoding = decodedEncoding(headers['content-encoding'])
    if (encoding === undefined) return this.#receiver.head(status, headers)
    this.#decoded = new DecodedAnswer(encoding, this.#receiver, {
      pause: () => this.#connection?.pause(),
      resume: () => this.#connection?.resume(),
      close: () => this.#connection?.close(),
    })
    const { 'content-encoding': _encoding, 'content-length': _length, ...decodedHeaders } = headers
    this.#receiver.head(status, decodedHeaders)
  }

  onData(piece: Buffer): void {
    if (this.#isOver || this.#next) return
    // The next read overwrites them.
    const own = Buffer.from(piece)
    if (this.#decoded) this.#decoded.write(own)
    else this.#receiver.data(own)
  }

  onEnd(): void {
    this.#connection = undefined
    if (this.#isOver) return
    if (this.#next) return this.#follow(this.#next)
    this.#isOver = true
    if (this.#decoded) this.#decoded.end()
    else this.#receiver.end()
  }

  onError(cause: unknown): void {
    this.#connection = undefined
    if (this.#isOver) return
    this.#isOver = true
    const error = this.#hasHead ? cut(cause) : unreachable(cause, this.#outgoing.connectMs)
    if (this.#decoded) this.#decoded.fail(error)
    else this.#receiver.fail(error)
  }

  #follow(next: Outgoing): void {
    this.#outgoing = next
    this.#next = undefined
    this.#redirects += 1
    this.start()
  }
}

interface Place {
  readonly origin: Origin
  readonly path: string
}

/** Cache of parsed URLs. Upstreams have few; if a model or job is part of the URL, the oldest entries are evicted. */
const placesMax = 1_000
const places = new Map<string, Place>()

function placeOf(url: string): Place {
  const known = places.get(url)
  if (known) return known
  const parsed = new URL(url)
  const place = { origin: originOf(parsed), path: parsed.pathname + parsed.search }
  if (places.size >= placesMax) {
    const [oldest] = places.keys()
    if (oldest !== undefined) places.delete(oldest)
  }
  places.set(url, place)
  return place
}

function originOf({ origin, protocol, hostname, port, host }: URL): Origin {
  const isTls = protocol === 'https:'
  if (!isTls && protocol !== 'http:')
    throw new TypeError(`There are no connections for ${protocol}`)
  return {
    name: origin,
    isTls,
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (isTls ? 443 : 80) : Number(port),
    host,
  }
}

/** Another origin gets no credentials, and https is never downgraded to http. */
function redirect(
  outgoing: Outgoing,
  status: number,
  { location }: Readonly<Record<string, string>>,
): Outgoing | undefined {
  if (outgoing.download === undefined || status < 300 || status > 308) return undefined
  if (location === undefined || !URL.canParse(location, outgoing.url)) return undefined
  const from = new URL(outgoing.url)
  const to = new URL(location, from)
  if (to.protocol !== from.protocol && to.protocol !== 'https:') return undefined
  const isSame = to.origin === from.origin
  return { ...outgoing, url: to.href, headers: isSame ? outgoing.headers : { accept: '*/*' } }
}

interface DownloadRules {
  readonly isAllowed: (address: string) => boolean
  readonly resolve: (hostname: string) => Promise<readonly string[]>
}

/**
 * A place that an upstream named, with its addresses.
 *
 * @throws ForbiddenAddress if one of them is not allowed, or if there is none: names inside the network cannot be told from
 *   unknown ones.
 */
async function checkedPlace(
  { origin, path }: Place,
  { isAllowed, resolve }: DownloadRules,
  connectMs: number,
): Promise<Place> {
  const { hostname, name } = origin
  const signal = AbortSignal.timeout(connectMs)
  const addresses = isIP(hostname) > 0 ? [hostname] : await untilAborted(resolve(hostname), signal)
  if (addresses.length === 0 || !addresses.every(isAllowed))
    throw new ForbiddenAddress('The upstream named an address that the gateway may not read from')
  return { origin: { ...origin, name: `${name} at ${addresses.join()}`, addresses }, path }
}

class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress'
}

function cut(cause: unknown): GatewayError {
  return new GatewayError(
    'upstream_cut',
    'The upstream closed the connection before its response was complete',
    { cause },
  )
}

function unreachable(cause: unknown, connectMs: number): GatewayError {
  if (cause instanceof ConnectTimeout)
    return new GatewayError(
      'upstream_timeout',
      `The upstream could not be reached within ${connectMs} ms (connectMs)`,
      { cause },
    )
  if (cause instanceof ForbiddenAddress)
    return new GatewayError('upstream_garbled', cause.message, { cause })
  const message =
    cause instanceof InvalidResponse ? cause.message : 'The upstream could not be reached'
  return new GatewayError('upstream_unavailable', message, { cause })
}
