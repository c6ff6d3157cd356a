import {
  isIP,
  connect as connectTcp,
  type LookupFunction,
  type OnReadOpts,
  type Socket,
} from 'node:net'
import type { ConnectionOptions } from 'node:tls'

/** Where connections go: the parts of an origin. */
export interface Origin {
  /** Scheme, host and port, as in a URL. */
  readonly name: string
  readonly isTls: boolean
  /** Without the brackets of an IPv6 address. */
  readonly hostname: string
  readonly port: number
  /** As in the `host` header. */
  readonly host: string
  /** The checked addresses of the host, the only ones to connect to; absent: those that its name has then. */
  readonly addresses?: readonly string[]
}

/** TLS sessions that are resumed, which saves a round trip and the handshake's costly part. */
const sessionsMax = 100
const probeIdleAfterMs = 60_000

export class ConnectTimeout extends Error {
  override readonly name = 'ConnectTimeout'
}

/** Opens sockets to upstreams and remembers their TLS sessions. */
export class Connector {
  readonly #timeoutMs: number
  readonly #sessions = new Map<string, Buffer>()

  /** `timeoutMs`: how long establishing a connection may take, handshake included. */
  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs
  }

  /**
   * Begins to connect. `connected` is called when something can be sent: with TLS, once the certificate has been verified.
   * After `timeoutMs` the socket is destroyed with a ConnectTimeout.
   */
  connect(origin: Origin, onread: OnReadOpts, connected: () => void): Socket {
    const socket = origin.isTls ? this.#connectTls(origin, onread) : connectTo(origin, onread)
    socket.setNoDelay(true)
    socket.setKeepAlive(true, probeIdleAfterMs)
    const timer = setTimeout(
      () => socket.destroy(new ConnectTimeout('The connection took too long')),
      this.#timeoutMs,
    )
    const stop = () => clearTimeout(timer)
    socket.once('close', stop)
    socket.once(origin.isTls ? 'secureConnect' : 'connect', () => {
      stop()
      connected()
    })
    return socket
  }

  #connectTls(origin: Origin, onread: OnReadOpts): Socket {
    const { name, hostname, port } = origin
    const session = this.#sessions.get(name)
    // The types lack `onread`, which is documented for `tls.connect` too.
    const options: ConnectionOptions & { readonly onread: OnReadOpts } = {
      host: hostname,
      port,
      // An address is no server name (RFC 6066, 3).
      servername: isIP(hostname) === 0 ? hostname : '',
      ALPNProtocols: ['http/1.1'],
      onread,
      ...pinned(origin),
      ...(session && { session }),
    }
    // Loaded with the first such connection: gateways of local models never need it.
    const socket = process.getBuiltinModule('node:tls').connect(options)
    socket.on('session', (given) => this.#remember(name, given))
    return socket
  }

  #remember(name: string, session: Buffer): void {
    this.#sessions.delete(name)
    this.#sessions.set(name, session)
    if (this.#sessions.size <= sessionsMax) return
    const [oldest] = this.#sessions.keys()
    if (oldest !== undefined) this.#sessions.delete(oldest)
  }
}

function connectTo(origin: Origin, onread: OnReadOpts): Socket {
  const { hostname, port } = origin
  return connectTcp({ host: hostname, port, onread, ...pinned(origin) })
}

/** Connects to the checked addresses, even if the name resolves differently by then (DNS rebinding). */
function pinned({ addresses }: Origin): { readonly lookup?: LookupFunction } {
  if (addresses === undefined) return {}
  const records = addresses.map((address) => ({ address, family: isIP(address) }))
  return {
    lookup(_hostname, options, callback) {
      const [record] = records
      if (options.all === true) callback(null, records)
      else callback(null, record?.address ?? '', record?.family)
    },
  }
}
