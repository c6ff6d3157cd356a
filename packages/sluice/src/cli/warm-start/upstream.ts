import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type Answer, answers } from './answers.ts'

/** A server on the loopback address. Disposing closes it and its connections. */
export interface WarmUpstream extends AsyncDisposable {
  /** Without a slash at its end. */
  readonly url: string
}

/** Only this machine reaches it. */
export const host = '127.0.0.1'

/** Connections end after this many answers, because opening one is code, too. */
const answersPerConnection = 8

/** Answers the requests of a warm start as providers do, with bytes made ahead. */
export async function openWarmUpstream(): Promise<WarmUpstream> {
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    serve(socket)
  })
  // Where several processes share a port, one with the number 0 would be the same for all of them.
  server.listen({ host, port: 0, exclusive: true })
  await once(server, 'listening')
  // A server that listens on a port has an AddressInfo.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://${host}:${port}`,
    async [Symbol.asyncDispose]() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

function serve(socket: Socket): void {
  let received = ''
  let answered = 0
  socket.on('data', (piece: Buffer) => {
    received += piece.toString('latin1')
    const end = endOfRequest(received)
    if (end === undefined) return
    answered += 1
    answer(socket, received, answered === answersPerConnection)
    received = received.slice(end)
  })
}

/** Undici sends one request at a time. */
function endOfRequest(received: string): number | undefined {
  const headEnd = received.indexOf('\r\n\r\n')
  const length = /\r\ncontent-length: *(\d+)/i.exec(received)?.[1]
  const end = headEnd + 4 + Number(length ?? 0)
  return headEnd < 0 || received.length < end ? undefined : end
}

function answer(socket: Socket, request: string, isLast: boolean): void {
  const path = request.slice(0, request.indexOf('\r\n'))
  const found = answerAt(path)
  const connection = `connection: ${isLast ? 'close' : 'keep-alive'}\r\n`
  if (path.includes(':stream') || request.includes('"stream":true'))
    stream(socket, found, connection)
  else
    socket.write(
      `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nx-request-id: req_warm\r\n${connection}` +
        `content-length: ${Buffer.byteLength(found.whole)}\r\n\r\n${found.whole}`,
    )
}

function answerAt(path: string): Answer {
  if (path.includes('/messages')) return answers.messages
  if (path.includes('/responses')) return answers.responses
  return path.includes('/models/') ? answers.gemini : answers.chat
}

/** In pieces of some events, as they come from afar: the first with the head, and the last with the end. */
function stream(socket: Socket, { events }: Answer, connection: string): void {
  const head = `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nx-request-id: req_warm\r\n${connection}transfer-encoding: chunked\r\n\r\n`
  const third = Math.ceil(events.length / 3)
  const chunks = events.map((event) => `${Buffer.byteLength(event).toString(16)}\r\n${event}\r\n`)
  socket.write(head + chunks.slice(0, 2).join(''))
  setImmediate(() => {
    socket.write(chunks.slice(2, third).join(''))
    setImmediate(() => socket.write(`${chunks.slice(third).join('')}0\r\n\r\n`))
  })
}
