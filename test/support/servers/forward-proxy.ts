import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'

/** A forward proxy that demands a user name and a password, and sees what goes through it. */
export interface ForwardProxy extends AsyncDisposable {
  /** With user name and password. */
  readonly url: string
  /** `CONNECT host:port` for a tunnel, method and URL for a request that it forwards. */
  readonly seen: string[]
  /** What it answers a tunnel with instead of opening it. */
  refusal: string | undefined
}

const proxyUser = 'company'
export const proxyPassword = 'pass-word-of-the-proxy'

export async function openForwardProxy({
  hosts = {},
}: {
  /** Ports of 127.0.0.1 by host name, in place of DNS. */
  readonly hosts?: Readonly<Record<string, number>>
} = {}): Promise<ForwardProxy> {
  const sockets = new Set<Socket>()
  const allowed = `Basic ${Buffer.from(`${proxyUser}:${proxyPassword}`).toString('base64')}`
  const mayPass = ({ headers }: IncomingMessage) => headers['proxy-authorization'] === allowed
  const server = createServer((incoming, response) => {
    proxy.seen.push(`${incoming.method} ${incoming.url}`)
    if (!mayPass(incoming)) return response.writeHead(407).end()
    const url = new URL(incoming.url ?? '')
    const { 'proxy-authorization': _password, ...headers } = incoming.headers
    const onward = request(
      {
        host: '127.0.0.1',
        port: hosts[url.hostname] ?? url.port,
        path: url.pathname + url.search,
        method: incoming.method,
        headers,
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      },
    )
    onward.on('error', () => response.destroy())
    incoming.pipe(onward)
  })
  server.on('connection', (socket) => sockets.add(socket))
  server.on('connect', (incoming: IncomingMessage, socket: Socket, head: Buffer) => {
    proxy.seen.push(`CONNECT ${incoming.url}`)
    if (!mayPass(incoming)) return socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
    if (proxy.refusal !== undefined) return socket.end(`HTTP/1.1 ${proxy.refusal}\r\n\r\n`)
    const { hostname, port } = new URL(`http://${incoming.url}`)
    const onward = connect(hosts[hostname] ?? Number(port || 80), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      onward.write(head)
      socket.pipe(onward).pipe(socket)
    })
    sockets.add(onward)
    for (const one of [socket, onward])
      one.on('error', () => [socket, onward].map((each) => each.destroy()))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const proxy: ForwardProxy = {
    url: `http://${proxyUser}:${proxyPassword}@127.0.0.1:${port}`,
    seen: [],
    refusal: undefined,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
  return proxy
}
