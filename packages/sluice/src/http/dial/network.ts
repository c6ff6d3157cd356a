import type { ProxyVariables } from '../../config/proxies.ts'
import { Dispatchers, type Origin } from './dispatchers.ts'

/** How long a connection that is not to an upstream may take, in milliseconds. */
const connectMs = 10_000

/** The only way out: everything that connects to HTTP servers asks here. Disposing closes all connections. */
export class Network implements AsyncDisposable {
  readonly #proxies: ProxyVariables
  #opening: Promise<Dispatchers> | undefined
  #dispatchers: Dispatchers | undefined
  #isClosed = false

  /** `proxies`: those of the environment. Default: none. */
  constructor(proxies: ProxyVariables = {}) {
    this.#proxies = proxies
  }

  /** Undefined until the library is loaded. */
  get dispatchers(): Dispatchers | undefined {
    return this.#dispatchers
  }

  /** Loads the library with the first request: a gateway that serves the built-in engine alone never needs it. */
  open(): Promise<Dispatchers> {
    this.#opening ??= import('undici').then(async (undici) => {
      const dispatchers = new Dispatchers(undici, this.#proxies)
      if (this.#isClosed) await dispatchers[Symbol.asyncDispose]()
      this.#dispatchers = dispatchers
      return dispatchers
    })
    return this.#opening
  }

  /** As the global one, for libraries that ask servers the settings name. */
  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    const dispatchers = await this.open()
    const url = new URL(input instanceof Request ? input.url : input)
    const dispatcher = dispatchers.to(originOf(url), {}, connectMs)
    const { fetch } = await import('undici')
    return (await fetch(input as Parameters<typeof fetch>[0], {
      ...(init as Parameters<typeof fetch>[1]),
      dispatcher,
    })) as unknown as Response
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    await this.#dispatchers?.[Symbol.asyncDispose]()
  }
}

/** @throws TypeError if there are no connections for the scheme. */
export function originOf({ origin, protocol, hostname, port, host }: URL): Origin {
  const isTls = protocol === 'https:'
  if (!isTls && protocol !== 'http:')
    throw new TypeError(`There are no connections for ${protocol}`)
  return {
    name: origin,
    isTls,
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (isTls ? 443 : 80) : Number(port),
    host,
  }
}
