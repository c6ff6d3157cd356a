import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** A caller that writes its request as raw bytes. */
export interface RawClient extends Disposable {
  readonly socket: Socket
  /** All text received so far. */
  readonly text: () => string
  readonly isClosed: () => boolean
  /** Writes data, and waits until the other side has room for more. */
  write(piece: string | Uint8Array): Promise<void>
  /** Writes one chunk of a chunked body; an empty one ends it. */
  chunk(piece: string | Uint8Array): Promise<void>
}

export function rawClient(url: string): RawClient {
  const { port, hostname } = new URL(url)
  const socket = connect(Number(port), hostname)
  let text = ''
  let closed = false
  socket.on('data', (piece) => {
    text += piece.toString('latin1')
  })
  socket.on('close', () => {
    closed = true
  })
  socket.on('error', () => {})
  const write: RawClient['write'] = async (piece) => {
    if (!socket.write(piece) && !closed)
      await Promise.race([once(socket, 'drain'), once(socket, 'close')])
  }
  return {
    socket,
    text: () => text,
    isClosed: () => closed,
    write,
    async chunk(piece) {
      await write(`${Buffer.byteLength(piece).toString(16)}\r\n`)
      await write(piece)
      await write('\r\n')
    },
    [Symbol.dispose]: () => socket.destroy(),
  }
}

/** The request line and headers of a POST, with these additional headers. */
export const postHead = (path: string, headers: Readonly<Record<string, string>>): string =>
  [
    `POST ${path} HTTP/1.1`,
    'Host: sluice',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '\r\n',
  ].join('\r\n')
