import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One request as the upstream received it. */
export interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** The body parsed as JSON; undefined if it is not JSON. */
  readonly body: Record<string, unknown>
  /** When the client closed the connection before the response was complete, in milliseconds since the epoch. */
  closedAt: number | undefined
  /** Whether the response has ended, complete or not. */
  isOver: boolean
}

export type Answering = (
  seen: SeenRequest,
  response: ServerResponse,
  request: IncomingMessage,
) => void | Promise<void>

export interface FakeUpstream extends AsyncDisposable {
  readonly url: string
  readonly seen: readonly SeenRequest[]
  /** Number of open connections, including idle ones. */
  readonly connections: number
  /** Sets the function that handles the requests from now on. */
  answer(answering: Answering): void
}

/** A small server that responds as a test tells it to, including with faults. */
export async function fakeUpstream(first: Answering): Promise<FakeUpstream> {
  let answering = first
  const seen: SeenRequest[] = []
  const server = createServer((request, response) => {
    void (async () => {
      const pieces: Buffer[] = []
      for await (const piece of request) pieces.push(piece as Buffer)
      const text = Buffer.concat(pieces).toString('utf8')
      const entry: SeenRequest = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers as Record<string, string>,
        text,
        body: parsed(text),
        closedAt: undefined,
        isOver: false,
      }
      seen.push(entry)
      response.on('close', () => {
        entry.isOver = true
        if (!response.writableFinished) entry.closedAt = Date.now()
      })
      await answering(entry, response, request)
    })().catch((error: unknown) => response.destroy(error as Error))
  })
  let connections = 0
  server.on('connection', (socket) => {
    connections += 1
    socket.once('close', () => {
      connections -= 1
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    get connections() {
      return connections
    },
    answer(next) {
      answering = next
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

/** Responds with JSON. */
export function json(
  response: ServerResponse,
  body: unknown,
  { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}

/** Responds with events, each written separately. With `end: false`, the stream stays open. */
export async function sse(
  response: ServerResponse,
  events: readonly (string | object)[],
  { end = true, type = 'text/event-stream' }: { end?: boolean; type?: string } = {},
): Promise<void> {
  if (!response.headersSent) response.writeHead(200, { 'content-type': type })
  for (const event of events) {
    response.write(typeof event === 'string' ? event : `data: ${JSON.stringify(event)}\n\n`)
    await new Promise((resolve) => setImmediate(resolve))
  }
  if (end) response.end()
}
