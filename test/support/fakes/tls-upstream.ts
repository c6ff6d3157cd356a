import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Certified } from '../servers/certificates.ts'
import { chatReply } from './openai-wire.ts'

/** A request as it came over TLS. */
export interface SeenOverTls {
  readonly version: string
  readonly path: string
  readonly serverName: string | false
  /** The common name of the client certificate. */
  readonly client: string | undefined
}

export interface TlsUpstream extends AsyncDisposable {
  readonly port: number
  readonly seen: readonly SeenOverTls[]
}

/** An upstream with chat completions over TLS that asks for client certificates and speaks the protocols of `alpn`. */
export async function openTlsUpstream(
  { cert, key }: Certified,
  { alpn, clients }: { readonly alpn: 'h2' | 'http/1.1'; readonly clients: Certified },
): Promise<TlsUpstream> {
  const seen: SeenOverTls[] = []
  const settings = { cert, key, ca: clients.cert, requestCert: true, rejectUnauthorized: true }
  const server =
    alpn === 'h2'
      ? createSecureServer(settings, (request, response) => void answer(request, response))
      : createServer(settings, (request, response) => void answer(request, response))
  async function answer(
    request: Http2ServerRequest | IncomingMessage,
    response: Http2ServerResponse | ServerResponse,
  ) {
    const socket = (
      'stream' in request ? request.stream.session?.socket : request.socket
    ) as TLSSocket
    let text = ''
    for await (const piece of request) text += String(piece)
    seen.push({
      version: request.httpVersion,
      path: request.url ?? '',
      serverName: (socket as TLSSocket & { readonly servername: string | false }).servername,
      client: String(socket.getPeerCertificate().subject.CN),
    })
    const isStream = text.includes('"stream":true')
    response.setHeader('content-type', isStream ? 'text/event-stream' : 'application/json')
    response.end(isStream ? streamed : JSON.stringify(chatReply('Hello')))
  }
  server.on('tlsClientError', () => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    async [Symbol.asyncDispose]() {
      server.close()
    },
  }
}

const chunk = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm' }
const streamed = [
  { ...chunk, choices: [{ index: 0, delta: { role: 'assistant', content: 'Hello' } }] },
  { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
]
  .map((one) => `data: ${JSON.stringify(one)}\n\n`)
  .concat('data: [DONE]\n\n')
  .join('')
