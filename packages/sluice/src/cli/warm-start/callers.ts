import { connect, type Socket } from 'node:net'
import type { WarmRequest } from './requests.ts'
import { host } from './upstream.ts'

export interface Calling {
  readonly port: number
  /** The secret of the callers' key. */
  readonly secret: string
  /** What is asked, in turn. */
  readonly requests: Iterator<WarmRequest, never>
  /** When no more requests are begun, in the time of `performance.now`. */
  readonly endsAt: number
}

const callersAtOnce = 16
/** A caller connects anew after this many requests, because accepting a connection is code, too. */
const requestsPerConnection = 8

/**
 * Calls a gateway until the time is over; what is not answered by then is left. Returns the number of answers.
 *
 * @throws Error with the answer that was no success, or if a connection broke.
 */
export async function callUntil(calling: Calling): Promise<number> {
  const counts = await Promise.all(Array.from({ length: callersAtOnce }, () => callInTurn(calling)))
  return counts.reduce((sum, count) => sum + count, 0)
}

async function callInTurn({ port, secret, requests, endsAt }: Calling): Promise<number> {
  let count = 0
  for (let leftMs = Infinity; leftMs > 0; leftMs = endsAt - performance.now()) {
    using caller = new WarmCaller(port, secret, endsAt)
    for (let at = 0; at < requestsPerConnection; at += 1) {
      if (!(await caller.ask(requests.next().value))) return count
      count += 1
    }
  }
  return count
}

/** Asks over a connection of its own. It is raw, so that it shares no code with the path that is to be warmed. */
class WarmCaller implements Disposable {
  readonly #socket: Socket
  readonly #secret: string
  readonly #timer: NodeJS.Timeout
  #received = ''
  #answered = Promise.withResolvers<boolean>()

  constructor(port: number, secret: string, endsAt: number) {
    this.#secret = secret
    this.#socket = connect({ port, host, noDelay: true })
    const leftMs = Math.max(1, endsAt - performance.now())
    this.#timer = setTimeout(() => this.#answered.resolve(false), leftMs)
    this.#socket.on('data', (piece: Buffer) => this.#take(piece.toString('latin1')))
    this.#socket.on('error', (error) => this.#answered.reject(error))
  }

  /** Whether it was answered in time. */
  async ask({ path, body }: WarmRequest): Promise<boolean> {
    this.#received = ''
    this.#answered = Promise.withResolvers()
    this.#socket.write(
      `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: keep-alive\r\naccept: */*\r\nuser-agent: warm-start\r\n` +
        `authorization: Bearer ${this.#secret}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    )
    const isInTime = await this.#answered.promise
    if (isInTime && !this.#received.startsWith('HTTP/1.1 200')) throw new Error(this.#received)
    return isInTime
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#socket.destroy()
  }

  #take(piece: string): void {
    this.#received += piece
    const headEnd = this.#received.indexOf('\r\n\r\n')
    if (headEnd < 0) return
    const length = /\r\ncontent-length: *(\d+)/i.exec(this.#received.slice(0, headEnd))?.[1]
    const isWhole =
      length === undefined
        ? this.#received.endsWith('\r\n0\r\n\r\n')
        : this.#received.length >= headEnd + 4 + Number(length)
    if (isWhole) this.#answered.resolve(true)
  }
}
