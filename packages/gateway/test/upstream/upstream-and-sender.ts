import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'
import type { GatewayError } from '../../../contract/src/core/errors.ts'
import type { Connection, Outgoing } from '../../src/call/send.ts'
import { Network } from '../../src/dial/network.ts'
import { createSender } from '../../src/upstream/send.ts'

/** Everything that a test opens. */
export interface Stage extends AsyncDisposable {
  /** An upstream that counts its connections. */
  openUpstream(answer: Answer): Promise<OpenUpstream>
  /** An upstream of which the bytes are given; `answer` is called with the text of each read. */
  openRawUpstream(answer: (socket: Socket, read: string) => void): Promise<OpenUpstream>
  /** Sends requests. */
  openSending(connectMs?: number): Sending
}

export type Answer = (request: IncomingMessage, response: ServerResponse) => void

export interface OpenUpstream {
  readonly url: string
  /** How many were opened. */
  connections(): number
  /** How many are open. */
  open(): number
  closeIdle(): void
}

interface Further extends Partial<Outgoing> {
  /** Called with the head. */
  readonly sent?: (connection: Connection) => void
  readonly received?: (connection: Connection, piece: Uint8Array) => void
}

/** Resolves with the status and the body, or with the code of the error. */
export type Sending = (url: string, further?: Further) => Promise<string>

export function setStage(): Stage {
  const cleanUp = new AsyncDisposableStack()

  async function listen(
    server: Server | ReturnType<typeof createSocketServer>,
  ): Promise<OpenUpstream> {
    const sockets = new Set<Socket>()
    let connections = 0
    server.on('connection', (socket: Socket) => {
      connections += 1
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    cleanUp.defer(() => {
      for (const socket of sockets) socket.destroy()
      server.close()
    })
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
      connections: () => connections,
      open: () => sockets.size,
      closeIdle: () =>
        'closeIdleConnections' in server ? server.closeIdleConnections() : undefined,
    }
  }

  return {
    openUpstream: (answer) =>
      listen(
        createServer((request, response) => {
          request.resume()
          request.on('end', () => answer(request, response))
        }),
      ),
    openRawUpstream: (answer) =>
      listen(
        createSocketServer((socket) => {
          socket.on('error', () => {})
          socket.on('data', (read) => answer(socket, read.toString('latin1')))
        }),
      ),
    openSending(connectMs = 2_000) {
      const sendOne = createSender(cleanUp.use(new Network()))
      return (url, { sent, received, ...request } = {}) =>
        new Promise<string>((resolve) => {
          let status = 0
          const pieces: Uint8Array[] = []
          const connection = sendOne(
            { method: 'POST', url, headers: {}, body: Buffer.from('{}'), connectMs, ...request },
            {
              head(given) {
                status = given
                sent?.(connection)
              },
              data(piece) {
                pieces.push(piece)
                received?.(connection, piece)
              },
              end: () => resolve(`${status} ${Buffer.concat(pieces).toString()}`),
              fail: (error: GatewayError) => resolve(error.code),
            },
          )
        })
    },
    [Symbol.asyncDispose]: () => cleanUp.disposeAsync(),
  }
}

/**
 * Pauses a response at its first read, expects that no more than `heldMax` bytes of it come meanwhile, and reads it to the end.
 * Resolves as `Sending` does.
 */
export async function expectPaced(send: Sending, url: string, heldMax: number): Promise<string> {
  let received = 0
  let paused: Connection | undefined
  const answer = send(url, {
    received(connection, piece) {
      received += piece.length
      if (paused) return
      paused = connection
      connection.pause()
    },
  })
  await expect.poll(() => paused).toBeDefined()
  await pause(100)
  expect(received).toBeLessThanOrEqual(heldMax)
  paused?.resume()
  return answer
}
