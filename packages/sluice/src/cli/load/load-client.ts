import type { Agent, Dispatcher } from 'undici'
import { createEventScanner } from './event-scanner.ts'

/** One request; with a body it is a POST, otherwise a GET. */
export interface Shot {
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Buffer
  /** Closes the connection after this many events, like a caller that has read enough. */
  readonly cancelAfterEvents?: number
}

/** The result of one request. Times are milliseconds after it was sent; undefined if nothing arrived. */
export class Outcome {
  /** 0 if no response began. */
  status = 0
  bytes = 0
  events = 0
  firstByteMs: number | undefined
  firstEventMs: number | undefined
  /** The first event that contains text. */
  firstTokenMs: number | undefined
  endMs = 0
  /** Why it failed, such as `HTTP 429`, `ECONNREFUSED` or `timeout`. */
  failure: string | undefined
  /** Whether the client itself closed the connection. */
  cancelled = false
}

/** Called with each event's bytes and the milliseconds since the previous event; undefined for the first. */
export type OnEvent = (event: Buffer, gapMs: number | undefined) => void

export interface LoadClientOptions {
  /** The server's URL; only protocol, host and port are used. */
  readonly url: URL
  /** Maximum number of connections, each with one request at a time. */
  readonly connections: number
  /** For a whole request, including the handshake of a new connection. */
  readonly timeoutMs: number
}

type Controller = Dispatcher.DispatchController

/** Sends requests to one server over connections that it keeps. Disposing closes them; requests in progress end as cancelled. */
export class LoadClient implements AsyncDisposable {
  readonly #agent: Agent
  readonly #options: LoadClientOptions
  readonly #open = new Set<Exchange>()

  private constructor(agent: Agent, options: LoadClientOptions) {
    this.#agent = agent
    this.#options = options
  }

  /** Not through the proxies of the environment. The library is loaded only here. */
  static async open(options: LoadClientOptions): Promise<LoadClient> {
    const { connections, timeoutMs } = options
    const { Agent } = await import('undici')
    const limits = { headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: timeoutMs }
    const connect = { timeout: timeoutMs }
    const agent = new Agent({ ...limits, connections, connect, allowH2: false })
    return new LoadClient(agent, options)
  }

  /** Sends one request and reads its response. Failures are returned in the outcome and never thrown. */
  exchange(shot: Shot, onEvent?: OnEvent): Promise<Outcome> {
    const { path, headers = {}, body = null } = shot
    const { url, timeoutMs } = this.#options
    return new Promise((resolve) => {
      const exchange = new Exchange(shot, { timeoutMs, onEvent }, (outcome) => {
        this.#open.delete(exchange)
        resolve(outcome)
      })
      this.#open.add(exchange)
      const method = body === null ? 'GET' : 'POST'
      this.#agent.dispatch({ origin: url.origin, path, method, headers, body }, exchange)
    })
  }

  /** Ends the requests in progress as cancelled. */
  cancel(): void {
    for (const exchange of this.#open) exchange.cancel()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cancel()
    await this.#agent.destroy()
  }
}

interface ExchangeOptions {
  readonly timeoutMs: number
  readonly onEvent: OnEvent | undefined
}

const token = /"(?:content|text|delta|thinking|reasoning|reasoning_content)": ?"[^"]/
const failedEvent = /^(?:event: ?error|data: ?\{"(?:error|type":"error))/
const closed = new Error('The client has closed the connection')

class Exchange implements Dispatcher.DispatchHandler {
  readonly #outcome = new Outcome()
  readonly #cancelAfterEvents: number
  readonly #onEvent: OnEvent | undefined
  readonly #settle: (outcome: Outcome) => void
  readonly #startedAt = performance.now()
  readonly #timer: NodeJS.Timeout
  readonly #scanner = createEventScanner((event) => this.#seeEvent(event))
  #controller: Controller | undefined
  #lastEventAt: number | undefined
  #isOver = false

  constructor(
    { cancelAfterEvents = Number.POSITIVE_INFINITY }: Shot,
    { timeoutMs, onEvent }: ExchangeOptions,
    settle: (outcome: Outcome) => void,
  ) {
    this.#cancelAfterEvents = cancelAfterEvents
    this.#onEvent = onEvent
    this.#settle = settle
    this.#timer = setTimeout(() => this.#leave('timeout'), timeoutMs)
  }

  cancel(): void {
    if (!this.#isOver) this.#outcome.cancelled = true
    this.#leave()
  }

  onRequestStart(controller: Controller): void {
    if (this.#isOver) return controller.abort(closed)
    this.#controller = controller
  }

  onResponseStart(_controller: Controller, status: number): void {
    // An interim response comes before the response (RFC 9110, 15.2).
    if (status < 200) return
    this.#outcome.status = status
    this.#outcome.firstByteMs = performance.now() - this.#startedAt
    if (status > 299) this.#outcome.failure = `HTTP ${status}`
  }

  onResponseData(_controller: Controller, piece: Buffer): void {
    this.#outcome.bytes += piece.length
    this.#scanner.push(piece)
  }

  onResponseEnd(): void {
    this.#end()
  }

  onResponseError(_controller: Controller, error: Error): void {
    this.#end(reasonOf(error))
  }

  #seeEvent(event: Buffer): void {
    if (this.#isOver) return
    const outcome = this.#outcome
    const now = performance.now()
    const sinceStartMs = now - this.#startedAt
    outcome.events += 1
    outcome.firstEventMs ??= sinceStartMs
    if (outcome.firstTokenMs === undefined && token.test(event.toString('latin1')))
      outcome.firstTokenMs = sinceStartMs
    if (failedEvent.test(event.toString('latin1', 0, 30))) outcome.failure ??= 'error event'
    this.#onEvent?.(event, this.#lastEventAt === undefined ? undefined : now - this.#lastEventAt)
    this.#lastEventAt = now
    if (outcome.events >= this.#cancelAfterEvents) this.cancel()
  }

  #leave(failure?: string): void {
    this.#end(failure)
    this.#controller?.abort(closed)
  }

  #end(failure?: string): void {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#outcome.endMs = performance.now() - this.#startedAt
    if (failure !== undefined) this.#outcome.failure ??= failure
    this.#settle(this.#outcome)
  }
}

/** In a few words. */
function reasonOf(error: Error): string {
  if (error.name === 'HTTPParserError') return 'the answer is not HTTP/1.1'
  const code = 'code' in error ? String(error.code) : error.message
  return code === 'UND_ERR_SOCKET' ? 'connection closed' : code
}
