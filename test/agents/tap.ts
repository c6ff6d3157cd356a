import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** A request as an agent sent it, and the status it got. */
export interface Tapped {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Buffer
  readonly status: number
  /** The answer, where it was an error. */
  readonly error: string
}

export interface Tap extends AsyncDisposable {
  readonly url: string
  readonly seen: readonly Tapped[]
}

/** Stands between an agent and a gateway, lets everything pass and keeps what was asked. */
export async function openTap(gateway: string): Promise<Tap> {
  const seen: Tapped[] = []
  const { hostname, port } = new URL(gateway)
  const server = createServer((asked, answer) => {
    void (async () => {
      const bytes = await buffer(asked)
      const { method = '', url: path = '' } = asked
      const headers = asked.headers as Record<string, string>
      const passed = request({ hostname, port, method, path, headers, agent: false }, (reply) => {
        const { statusCode: status = 0 } = reply
        const pieces: Buffer[] = []
        if (status >= 400) reply.on('data', (piece: Buffer) => void pieces.push(piece))
        reply.on('end', () => {
          const error = Buffer.concat(pieces).toString()
          seen.push({ method, path, headers, bytes, status, error })
        })
        answer.writeHead(status, reply.headers)
        reply.pipe(answer)
      })
      passed.on('error', (error) => answer.destroy(error))
      answer.on('close', () => passed.destroy())
      passed.end(bytes)
    })().catch((error: unknown) => answer.destroy(error as Error))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}
