import { connect as connectPlain, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { createEventScanner, type EventScanner } from './event-scanner.ts'
import { InvalidResponse } from './invalid-response.ts'
import { type ResponseListener, ResponseParser } from './response-parser.ts'

/** One request as sent over the wire. */
export interface Shot {
  readonly bytes: Buffer
  /** Closes the connection after this many events, like a caller that has read enough. */
  readonly cancelAfterEvents?: number
}

/** The result of one request. Times are milliseconds after its first byte was sent; undefined if nothing arrived. */
export interface Outcome {
  /** 0 if no response began. */
  status: number
  bytes: number
  events: number
  firstByteMs: number | undefined
  firstEventMs: number | undefined
  /** The first event that contains text. */
  firstTokenMs: number | undefined
  endMs: number
  /** Why it failed, such as `HTTP 429`, `ECONNREFUSED` or `timeout`. */
  failure: string | undefined
  /** Whether the client itself closed the connection. */
  cancelled: boolean
}

export interface ConnectionOptions {
  readonly url: URL
  /** For a whole request, including the handshake of the first one. */
  readonly timeoutMs: number
  /** Called with each event's bytes and the milliseconds since the previous event; undefined for the first. */
  readonly onEvent?: (event: Buffer, gapMs: number | undefined) => void
}

interface Flight {
  readonly outcome: Outcome
  readonly startedAt: number
  readonly cancelAfterEvents: number
  readonly settle: (outcome: Outcome) => void
  lastEventAt: number | undefined
}

const token = /"(?:content|text|reasoning|reasoning_content)": ?"[^"]/
const failedEvent = /^(?:event: ?error|data: ?\{"(?:error|type":"error))/

/** A keep-alive connection that is reopened after it was closed. */
export class Connection implements Disposable, ResponseListener {
  readonly #options: ConnectionOptions
  #socket: Socket | undefined
  #flight: Flight | undefined
  #timer: NodeJS.Timeout | undefined
  #scanner = this.#newScanner()
  readonly #parser = new ResponseParser()

  constructor(options: ConnectionOptions) {
    this.#options = options
  }

  /** Sends one request and reads its response, one at a time. Failures are returned in the outcome and never thrown. */
  exchange({ bytes, cancelAfterEvents = Number.POSITIVE_INFINITY }: Shot): Promise<Outcome> {
    return new Promise((settle) => {
      const startedAt = performance.now()
      this.#scanner = this.#newScanner()
      this.#parser.expect(this)
      this.#flight = {
        outcome: newOutcome(),
        startedAt,
        lastEventAt: undefined,
        cancelAfterEvents,
        settle,
      }
      this.#timer = setTimeout(() => this.#leave('timeout'), this.#options.timeoutMs)
      this.#socket ??= this.#open()
      this.#socket.write(bytes)
    })
  }

  /** Closes the socket; a request in progress ends as cancelled. */
  [Symbol.dispose](): void {
    this.#cancel()
  }

  #open(): Socket {
    const socket = openSocket(this.#options.url)
    const fail = (reason: string) => {
      if (socket === this.#socket) this.#leave(reason)
    }
    socket.on('data', (piece: Buffer) => {
      if (socket !== this.#socket) return
      try {
        this.#see(piece)
      } catch (error) {
        fail(error instanceof InvalidResponse ? 'the answer is not HTTP/1.1' : String(error))
      }
    })
    socket.on('error', (error: NodeJS.ErrnoException) => fail(error.code ?? error.message))
    socket.on('close', () => {
      if (socket !== this.#socket) return
      if (this.#flight && this.#parser.close()) this.#leave()
      else fail('connection closed')
    })
    return socket
  }

  onData(piece: Buffer): void {
    if (this.#flight) this.#flight.outcome.bytes += piece.length
    this.#scanner.push(piece)
  }

  #see(piece: Buffer): void {
    const flight = this.#flight
    // Bytes that nobody asked for.
    if (!flight) return this.#drop()
    const used = this.#parser.parse(piece)
    // An event may have ended the request.
    if (this.#flight !== flight || !this.#parser.isAtEnd) return
    if (!this.#parser.isKept || used < piece.length) this.#drop()
    this.#land()
  }

  #newScanner(): EventScanner {
    return createEventScanner((event) => this.#seeEvent(event))
  }

  onHead(status: number): void {
    if (!this.#flight) return
    const { outcome, startedAt } = this.#flight
    outcome.status = status
    outcome.firstByteMs = performance.now() - startedAt
    if (status < 200 || status > 299) outcome.failure = `HTTP ${status}`
  }

  #seeEvent(event: Buffer): void {
    if (!this.#flight) return
    const { outcome, startedAt, lastEventAt, cancelAfterEvents } = this.#flight
    const now = performance.now()
    outcome.events += 1
    outcome.firstEventMs ??= now - startedAt
    if (outcome.firstTokenMs === undefined && token.test(event.toString('latin1')))
      outcome.firstTokenMs = now - startedAt
    if (failedEvent.test(event.toString('latin1', 0, 30))) outcome.failure ??= 'error event'
    this.#options.onEvent?.(event, lastEventAt === undefined ? undefined : now - lastEventAt)
    this.#flight.lastEventAt = now
    if (outcome.events >= cancelAfterEvents) this.#cancel()
  }

  #cancel(): void {
    if (this.#flight) this.#flight.outcome.cancelled = true
    this.#leave()
  }

  #leave(failure?: string): void {
    this.#drop()
    this.#land(failure)
  }

  #drop(): void {
    this.#socket?.destroy()
    this.#socket = undefined
  }

  #land(failure?: string): void {
    if (!this.#flight) return
    const { outcome, startedAt, settle } = this.#flight
    this.#flight = undefined
    clearTimeout(this.#timer)
    outcome.endMs = performance.now() - startedAt
    if (failure !== undefined) outcome.failure ??= failure
    settle(outcome)
  }
}

function openSocket({ hostname, protocol, port }: URL): Socket {
  const host = hostname.replace(/^\[|\]$/g, '')
  const isSecure = protocol === 'https:'
  const address = { host, port: Number(port) || (isSecure ? 443 : 80) }
  const socket = isSecure
    ? connectTls({ ...address, servername: isIP(host) ? '' : host, ALPNProtocols: ['http/1.1'] })
    : connectPlain(address)
  return socket.setNoDelay(true)
}

function newOutcome(): Outcome {
  return {
    status: 0,
    bytes: 0,
    events: 0,
    firstByteMs: undefined,
    firstEventMs: undefined,
    firstTokenMs: undefined,
    endMs: 0,
    failure: undefined,
    cancelled: false,
  }
}
