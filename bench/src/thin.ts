// The yardstick: the least that Node itself and undici need to pass a call on after a bearer check. Nothing is done per request
// that can be done once. `node thin.ts <port> <upstream> <key>`
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { type Dispatcher, Pool } from 'undici-fastest'

const [, , port = '', upstream = '', key = ''] = process.argv
const expected = `Bearer ${key}`
const pool = new Pool(upstream, { keepAliveTimeout: 60_000, headersTimeout: 0, bodyTimeout: 0 })
const headers = ['content-type', 'application/json', 'authorization', 'Bearer upstream']

class Passing implements Dispatcher.DispatchHandler {
  readonly #response: ServerResponse

  constructor(response: ServerResponse) {
    this.#response = response
  }

  onRequestStart(): void {}

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    { 'content-type': type = '', 'content-length': length }: IncomingHttpHeaders,
  ): void {
    const head = ['content-type', type]
    if (length !== undefined) head.push('content-length', length)
    this.#response.writeHead(status, head)
  }

  onResponseData(_controller: Dispatcher.DispatchController, piece: Buffer): void {
    this.#response.write(piece)
  }

  onResponseEnd(): void {
    this.#response.end()
  }

  onResponseError(): void {
    this.#response.destroy()
  }
}

const server = createServer((request, response) => {
  if (request.headers.authorization !== expected) {
    response.writeHead(401).end()
    return
  }
  const pieces: Buffer[] = []
  request.on('data', (piece: Buffer) => pieces.push(piece))
  request.on('end', () => {
    const [first = null] = pieces
    const body = pieces.length > 1 ? Buffer.concat(pieces) : first
    pool.dispatch({ path: request.url ?? '', method: 'POST', headers, body }, new Passing(response))
  })
})
server.listen({ host: '127.0.0.1', port: Number(port), backlog: 4096 })
