import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { head, keep, type Step, send } from './steps.ts'
import { wordsFor } from './words.ts'
import type { Words } from './words-form.ts'

/** One request that reached the upstream. */
export interface Exchange {
  readonly path: string
  /** Its answer is on the wire as a whole: the connection may stay open. */
  isWhole: boolean
  /** The connection is gone. */
  isClosed: boolean
  /** Bytes of its answer that were taken from it. */
  readonly written: () => number
}

/** How one target behaves; the first segment of its address says which it is. */
export interface Target {
  readonly steps: (words: Words) => readonly Step[]
  readonly exchanges: Exchange[]
}

export interface FaultUpstream extends AsyncDisposable {
  readonly url: string
  /** Takes no connection. */
  readonly closedUrl: string
  /** Takes connections, and never says a word of TLS. */
  readonly muteUrl: string
  /** Resets every connection, or closes it, as soon as it is there. */
  readonly resettingUrl: string
  readonly endingUrl: string
  readonly targets: Map<string, Target>
  /** Requests that no target was there for. */
  readonly strays: string[]
  /** Connections that are open, idle ones included. */
  connections(): number
}

/** All the bad upstreams in one, without Node's HTTP server: it says exactly the bytes it is told to. */
export async function openFaultUpstream(): Promise<FaultUpstream> {
  const targets = new Map<string, Target>()
  const strays: string[] = []
  const open = new Set<Socket>()
  const serverOf = async (connected: (socket: Socket) => void) => {
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
      open.add(socket)
      socket.on('error', () => undefined)
      socket.once('close', () => open.delete(socket))
      connected(socket)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return server
  }
  const main = await serverOf((socket) => serve(socket, targets, strays))
  const mute = await serverOf((socket) => void socket.on('end', () => socket.end()).resume())
  const resetting = await serverOf((socket) => void socket.resetAndDestroy())
  const ending = await serverOf((socket) => void socket.end().resume())
  const closed = await serverOf(() => undefined)
  const closedUrl = urlOf(closed)
  closed.close()
  return {
    url: urlOf(main),
    closedUrl,
    muteUrl: urlOf(mute).replace('http:', 'https:'),
    resettingUrl: urlOf(resetting),
    endingUrl: urlOf(ending),
    targets,
    strays,
    connections: () => open.size,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy()
      for (const server of [main, mute, resetting, ending]) server.close()
    },
  }
}

function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Requests one after the other, as long as their answers are whole. */
function serve(socket: Socket, targets: Map<string, Target>, strays: string[]): void {
  let text = ''
  let current: Exchange | undefined
  socket.on('close', () => {
    if (current) current.isClosed = true
  })
  // Whoever asks has nothing more to say and takes no answer: undici closes whole connections only.
  socket.on('end', () => socket.destroy())
  socket.setEncoding('latin1')
  socket.on('data', (piece: string) => {
    text += piece
    const request = requestIn(text)
    if (!request) return
    text = text.slice(request.length)
    const [, name = ''] = request.path.split('/')
    const target = targets.get(name)
    const words = wordsFor(request.path, request.body)
    if (!target || !words) {
      // A caller has its answer before a busy machine has sent the request that was given up.
      if (!/^(?:bad|good)-/.test(name) || !words) strays.push(request.path)
      socket.end(head(410, { 'content-length': '0' }))
      return
    }
    const before = socket.bytesWritten
    const exchange: Exchange = {
      path: request.path,
      isWhole: false,
      isClosed: false,
      written: () => socket.bytesWritten - before,
    }
    current = exchange
    target.exchanges.push(exchange)
    void play(socket, target.steps(words), exchange)
  })
}

function requestIn(text: string) {
  const headEnd = text.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const start = text.slice(0, headEnd)
  const bodyLength = Number(/^content-length: (\d+)$/im.exec(start)?.[1] ?? 0)
  const length = headEnd + 4 + bodyLength
  if (text.length < length) return undefined
  const [, path = ''] = start.split(' ')
  return { path, body: text.slice(headEnd + 4, length), length }
}

async function play(socket: Socket, steps: readonly Step[], exchange: Exchange): Promise<void> {
  for (const step of steps) {
    if (socket.destroyed) return
    switch (step.do) {
      case 'send':
        await write(socket, step.bytes)
        break
      case 'drip':
        for (let at = 0; at < step.bytes.length && !socket.destroyed; at += step.size) {
          await write(socket, step.bytes.subarray(at, at + step.size))
          await sleep(step.ms)
        }
        break
      case 'repeat':
        while (!socket.destroyed) {
          await write(socket, step.bytes)
          await sleep(step.ms)
        }
        break
      case 'pause':
        await sleep(step.ms)
        break
      case 'stall':
        return
      case 'reset':
        socket.resetAndDestroy()
        return
      case 'end':
        socket.end()
        return
      case 'keep':
        exchange.isWhole = true
        return
    }
  }
}

/** No faster than it is taken. */
function write(socket: Socket, bytes: Uint8Array): Promise<void> | undefined {
  if (socket.destroyed || socket.write(bytes)) return undefined
  return new Promise((resolve) => {
    const done = () => {
      socket.removeListener('drain', done)
      socket.removeListener('close', done)
      resolve()
    }
    socket.once('drain', done)
    socket.once('close', done)
  })
}

/** The good answer, streamed or not. */
export const goodSteps = ({ contentType, preamble, content, ending }: Words): readonly Step[] => {
  const body = Buffer.concat([...preamble, ...content, ...ending])
  return [
    send(head(200, { 'content-type': contentType, 'content-length': String(body.length) }), body),
    keep,
  ]
}
