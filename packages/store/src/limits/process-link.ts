import { errorCodes, GatewayError } from '@sluice/contract'

/** A message: a question, a notification, or an answer. */
type Message =
  | { readonly ask: string; readonly id: number; readonly body: unknown }
  | { readonly tell: string; readonly body: unknown }
  | { readonly to: number; readonly result: unknown }
  | { readonly to: number; readonly error: SentError }

interface SentError {
  readonly code: string
  readonly message: string
  readonly retryAfterMs?: number
}

/** The name of a message, with the types of its body and of the answer to it, which both processes know. */
export type MessageName<Body = unknown, Answer = unknown> = string & {
  readonly types?: (body: Body) => Answer
}

type Handler = (body: unknown) => unknown

/**
 * Ordered messaging between two processes. Messages of one event loop turn are sent as a batch, because sending costs more
 * than the content. Bodies are JSON.
 */
export class ProcessLink {
  readonly #post: (batch: readonly unknown[]) => void
  readonly #handlers = new Map<string, Handler>()
  readonly #asked = new Map<number, PromiseWithResolvers<unknown>>()
  readonly #watchers: (() => void)[] = []
  #batch: Message[] = []
  #count = 0
  #isClosed = false

  /** `post` sends a batch to the other process, which passes it to `receive`. */
  constructor(post: (batch: readonly unknown[]) => void) {
    this.#post = post
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Registers the handler of a question or notification. */
  serve<Body, Answer>(
    name: MessageName<Body, Answer>,
    handler: (body: Body) => Answer | Promise<Answer>,
  ): void {
    // The other process sends what the name says.
    this.#handlers.set(name, (body) => handler(body as Body))
  }

  /** Rejects with the other side's GatewayError, or with `overloaded` if the other side has ended. */
  ask<Body, Answer>(name: MessageName<Body, Answer>, body: Body): Promise<Answer> {
    if (this.#isClosed) return Promise.reject(ended())
    this.#count += 1
    const waiting = Promise.withResolvers<unknown>()
    this.#asked.set(this.#count, waiting)
    this.#send({ ask: name, id: this.#count, body })
    // The other process answers with what the name says.
    return waiting.promise as Promise<Answer>
  }

  tell<Body>(name: MessageName<Body>, body: Body): void {
    this.#send({ tell: name, body })
  }

  receive(batch: unknown): void {
    // Only the other link posts here.
    for (const message of batch as readonly Message[]) this.#take(message)
  }

  /** Calls the watcher when the other side has ended. */
  whenClosed(watcher: () => void): void {
    this.#watchers.push(watcher)
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    for (const { reject } of this.#asked.values()) reject(ended())
    this.#asked.clear()
    for (const watcher of this.#watchers) watcher()
  }

  #send(message: Message): void {
    if (this.#isClosed) return
    if (this.#batch.push(message) === 1) setImmediate(() => this.#flush())
  }

  #flush(): void {
    const batch = this.#batch
    this.#batch = []
    if (!this.#isClosed) this.#post(batch)
  }

  #take(message: Message): void {
    if ('tell' in message) this.#handlers.get(message.tell)?.(message.body)
    else if ('ask' in message) void this.#answer(message.id, message.ask, message.body)
    else {
      const waiting = this.#asked.get(message.to)
      this.#asked.delete(message.to)
      if ('error' in message) waiting?.reject(received(message.error))
      else waiting?.resolve(message.result)
    }
  }

  async #answer(to: number, name: string, body: unknown): Promise<void> {
    try {
      const handler = this.#handlers.get(name)
      if (!handler) throw new Error(`Nobody answers ${name}`)
      const answer = handler(body)
      this.#send({ to, result: answer instanceof Promise ? await answer : answer })
    } catch (thrown) {
      const { code, message, details } = GatewayError.from(thrown)
      const { retryAfterMs } = details
      const wait = retryAfterMs === undefined ? {} : { retryAfterMs }
      this.#send({ to, error: { code, message, ...wait } })
    }
  }
}

function received({ code, message, retryAfterMs }: SentError): GatewayError {
  const known = errorCodes.find((one) => one === code) ?? 'internal'
  return new GatewayError(known, message, retryAfterMs === undefined ? {} : { retryAfterMs })
}

function ended(): GatewayError {
  const text = 'The process that holds the limits does not answer'
  return new GatewayError('overloaded', text, { retryAfterMs: 1_000 })
}
