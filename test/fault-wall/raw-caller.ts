import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../support/start.ts'
import type { CallerFault, Move, Sent } from './caller-faults.ts'

/** One answer as it stood on the wire. */
export interface RawAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What a raw caller sees of the upstream. */
export interface Sight {
  readonly asked: () => number
  /** Bytes that the upstream could say so far. */
  readonly said: () => number
}

/** How long the answers to a caller that reads may take, in milliseconds. */
const answersMs = 15_000

/** Makes the moves of a fault and gathers what comes back until its answers are whole or its connection is gone. */
export async function misbehave(
  url: string,
  sent: Sent,
  { moves, gets }: CallerFault,
  sight: Sight,
): Promise<readonly RawAnswer[]> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let text = ''
  let isClosed = false
  socket.setEncoding('latin1')
  socket.on('data', (piece: string) => {
    text += piece
  })
  socket.on('error', () => undefined)
  socket.on('close', () => {
    isClosed = true
  })
  await once(socket, 'connect')
  for (const move of moves) await make(move, { socket, sent, sight, text: () => text })
  const wanted = gets === 'nothing' ? Infinity : gets === 'two answers' ? 2 : 1
  await until(() => isClosed || answersIn(text, isClosed).length >= wanted, answersMs).catch(
    () => undefined,
  )
  socket.destroy()
  return answersIn(text, isClosed)
}

interface Making {
  readonly socket: Socket
  readonly sent: Sent
  readonly sight: Sight
  readonly text: () => string
}

async function make(move: Move, { socket, sent, sight, text }: Making): Promise<void> {
  switch (move.do) {
    case 'send':
      socket.write(move.bytes(sent))
      break
    case 'drip': {
      const head = `${sent.head}content-length: ${Buffer.byteLength(sent.body)}\r\n\r\n`
      const whole = move.part === 'head' ? head : sent.body
      const size = Math.ceil(whole.length / move.pieces)
      for (let at = 0; at < whole.length; at += size) {
        socket.write(whole.slice(at, at + size))
        await sleep(5)
      }
      break
    }
    case 'asked':
      await until(() => sight.asked() >= move.times, answersMs)
      break
    case 'read':
      await until(() => text().includes(move.text), answersMs)
      break
    case 'read nothing':
      socket.pause()
      await standsStill(sight.said)
      break
    case 'read slowly':
      for (let pauses = 0; pauses < 5; pauses += 1) {
        socket.pause()
        await sleep(20)
        socket.resume()
        await sleep(1)
      }
      break
    case 'reset':
      socket.resetAndDestroy()
      break
    case 'end':
      socket.end()
      break
  }
}

/** Waits until a number has not grown for a while. */
async function standsStill(number: () => number): Promise<void> {
  for (let before = -1; before !== number(); ) {
    before = number()
    await sleep(250)
  }
}

/** The answers that are whole, signs of life before them left out. */
function answersIn(text: string, isClosed: boolean): readonly RawAnswer[] {
  const answers: RawAnswer[] = []
  for (let rest = text; ; ) {
    const headEnd = rest.indexOf('\r\n\r\n')
    if (headEnd < 0) return answers
    const [line = '', ...fields] = rest.slice(0, headEnd).split('\r\n')
    const status = Number(line.split(' ')[1])
    rest = rest.slice(headEnd + 4)
    if (status < 200) continue
    const headers = Object.fromEntries(
      fields.map((field) => {
        const colon = field.indexOf(':')
        return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()]
      }),
    )
    const body = bodyIn(rest, headers, isClosed)
    if (!body) return answers
    answers.push({ status, headers, body: Buffer.from(body.text, 'latin1').toString() })
    rest = rest.slice(body.length)
  }
}

function bodyIn(rest: string, headers: Readonly<Record<string, string>>, isClosed: boolean) {
  if (headers['transfer-encoding'] === 'chunked') return chunkedIn(rest)
  const length = headers['content-length']
  if (length === undefined) return isClosed ? { text: rest, length: rest.length } : undefined
  return rest.length < Number(length)
    ? undefined
    : { text: rest.slice(0, Number(length)), length: Number(length) }
}

function chunkedIn(rest: string): { readonly text: string; readonly length: number } | undefined {
  let text = ''
  for (let at = 0; ; ) {
    const lineEnd = rest.indexOf('\r\n', at)
    if (lineEnd < 0) return undefined
    const size = Number.parseInt(rest.slice(at, lineEnd), 16)
    const next = lineEnd + 2 + size + 2
    if (!(rest.length >= next)) return undefined
    if (size === 0) return { text, length: next }
    text += rest.slice(lineEnd + 2, next - 2)
    at = next
  }
}
