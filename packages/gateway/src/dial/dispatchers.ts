import { isIP, type LookupFunction } from 'node:net'
import type { Agent, Dispatcher, ProxyAgent } from 'undici'
import type { ProxyVariables } from '../settings/proxy-variables.ts'
import type { Dialing } from '../call/send.ts'
import { createProxyChoice, type Goal } from './proxies.ts'

/** Where a request goes: the parts of an origin. */
export interface Origin extends Goal {
  /** Scheme, host and port, as in a URL. */
  readonly name: string
  /** As in the `host` header. */
  readonly host: string
}

/** Idle connections stay open for a minute, because a handshake costs more than the rest of a request. */
const idleMs = 60_000
/** Upstreams give the time at which they close; a request must not meet that. */
const closesBeforeMs = 1_000
const headBytesMax = 16 * 1024
const probeIdleAfterMs = 60_000

/** The gateway has limits of its own for the wait for a response and for its next chunk. */
const limits = {
  headersTimeout: 0,
  bodyTimeout: 0,
  keepAliveTimeout: idleMs,
  keepAliveMaxTimeout: idleMs,
  keepAliveTimeoutThreshold: closesBeforeMs,
  maxHeaderSize: headBytesMax,
}

type Undici = Pick<typeof import('undici'), 'Agent' | 'ProxyAgent' | 'buildConnector'>

/** Opens connections, directly or through proxies, and keeps them for the next request. Disposing closes all of them. */
export class Dispatchers implements AsyncDisposable {
  readonly #undici: Undici
  /** Absent without proxies in the environment. */
  readonly #proxyOf: ((goal: Goal) => string | undefined) | undefined
  /** By how the connections are made. */
  readonly #open = new Map<string, Agent | ProxyAgent>()

  constructor(undici: Undici, proxies: ProxyVariables = {}) {
    this.#undici = undici
    const { http, https } = proxies
    if (http !== undefined || https !== undefined) this.#proxyOf = createProxyChoice(proxies)
  }

  /** The proxy through which requests to an origin go; undefined for none. */
  proxyFor(origin: Origin, { proxy }: Dialing): string | undefined {
    if (proxy === undefined) return this.#proxyOf?.(origin)
    return proxy === 'none' ? undefined : proxy
  }

  /** For requests to an origin. Connecting may take `connectMs`, handshakes included. */
  to(origin: Origin, dialing: Dialing, connectMs: number): Dispatcher {
    const mayUseProxy = this.#proxyOf !== undefined || dialing.proxy !== undefined
    const proxy = mayUseProxy ? this.proxyFor(origin, dialing) : undefined
    const name = `${connectMs} ${proxy ?? ''} ${dialing.name ?? ''}`
    const known = this.#open.get(name)
    if (known) return known
    const tls = tlsOf(dialing)
    const opened =
      proxy === undefined ? this.#directly(tls, connectMs) : this.#through(proxy, tls, connectMs)
    this.#open.set(name, opened)
    return opened
  }

  /**
   * For one request to checked addresses of a host, even if its name resolves differently by then (DNS rebinding). A proxy is asked for
   * the first of the addresses; without addresses for the name. The caller closes it.
   */
  pinned(
    origin: Origin,
    { addresses, proxy }: { readonly addresses?: readonly string[]; readonly proxy?: string },
    connectMs: number,
  ): Pinned {
    if (proxy === undefined) {
      const lookup = lookupOf(addresses ?? [])
      const connect = { ...socket(connectMs), lookup }
      const agent = new this.#undici.Agent({ ...limits, allowH2: false, connect })
      return { dispatcher: agent, origin: origin.name }
    }
    // An address is no server name (RFC 6066, 3).
    const servername = isIP(origin.hostname) === 0 ? { servername: origin.hostname } : {}
    const tls = { allowH2: false, ...servername }
    const [address = origin.hostname] = addresses ?? []
    const host = isIP(address) === 6 ? `[${address}]` : address
    const scheme = origin.isTls ? 'https' : 'http'
    return {
      dispatcher: this.#through(proxy, tls, connectMs),
      origin: `${scheme}://${host}:${origin.port}`,
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const stopped = new Error('The gateway closes its connections')
    await Promise.all([...this.#open.values()].map((one) => one.destroy(stopped)))
    this.#open.clear()
  }

  /** All origins share one connector, which remembers their TLS sessions longer than their connections last. */
  #directly(tls: Tls, connectMs: number): Agent {
    const connect = this.#undici.buildConnector({ ...socket(connectMs), ...tls })
    return new this.#undici.Agent({ ...limits, allowH2: tls.allowH2, connect })
  }

  #through(proxy: string, requestTls: Tls, connectMs: number): ProxyAgent {
    return new this.#undici.ProxyAgent({
      ...limits,
      uri: proxy,
      allowH2: requestTls.allowH2,
      connectTimeout: connectMs,
      requestTls: { ...socket(connectMs), ...requestTls },
      proxyTls: { ...socket(connectMs), allowH2: false },
      // Proxies forward http as it is; many refuse to open tunnels to other ports than 443.
      proxyTunnel: false,
    })
  }
}

export interface Pinned {
  readonly dispatcher: Dispatcher
  /** The origin to name in the request. */
  readonly origin: string
}

type Tls = {
  readonly allowH2: boolean
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  readonly servername?: string
}

function tlsOf({ authorities, certificate, http2 = false }: Dialing): Tls {
  return {
    allowH2: http2,
    ...(authorities !== undefined && { ca: authorities }),
    ...(certificate && { cert: certificate.chain, key: certificate.key }),
  }
}

function socket(connectMs: number) {
  return { timeout: connectMs, keepAlive: true, keepAliveInitialDelay: probeIdleAfterMs }
}

function lookupOf(addresses: readonly string[]): LookupFunction {
  const records = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_hostname, options, callback) => {
    const [record] = records
    if (options.all === true) callback(null, records)
    else callback(null, record?.address ?? '', record?.family)
  }
}
