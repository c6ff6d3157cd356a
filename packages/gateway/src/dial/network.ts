import type { Dialing } from '../call/send.ts'
import type { ProxyVariables } from '../settings/proxy-variables.ts'
import { Dispatchers, type Origin } from './dispatchers.ts'

/** How long a connection that is not to an upstream may take, in milliseconds. */
const connectMs = 10_000

/** Larger than any response that is read so: lists of prices have a few megabytes. */
const fetchedBytesMax = 32 * 1024 * 1024
const withoutBody: ReadonlySet<number> = new Set([204, 205, 304])

async function readAll(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of body) {
    size += piece.length
    if (size > fetchedBytesMax) throw new Error('The response is too large')
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

/** The only way out: everything that connects to HTTP servers asks here. Disposing closes all connections. */
export class Network implements AsyncDisposable {
  readonly #proxies: ProxyVariables
  #opening: Promise<Dispatchers> | undefined
  /** Undefined until the library is loaded. Only this object sets it. */
  dispatchers: Dispatchers | undefined
  #isClosed = false

  /** `proxies`: those of the environment. Default: none. */
  constructor(proxies: ProxyVariables = {}) {
    this.#proxies = proxies
  }

  /** Loads the library with the first request: a gateway that serves the built-in engine alone never needs it. */
  open(): Promise<Dispatchers> {
    this.#opening ??= import('undici').then(async (undici) => {
      const dispatchers = new Dispatchers(undici, this.#proxies)
      if (this.#isClosed) await dispatchers[Symbol.asyncDispose]()
      this.dispatchers = dispatchers
      return dispatchers
    })
    return this.#opening
  }

  /** As the global one, for libraries that ask servers the settings name. It follows no redirects. */
  readonly fetch: typeof globalThis.fetch = this.fetchThrough({})

  /** The same over connections that are made as the settings of an upstream say. */
  fetchThrough(dialing: Dialing): typeof globalThis.fetch {
    return async (input, init) => {
      const request = new Request(input, init)
      try {
        return await this.#fetched(request, dialing)
      } catch (cause) {
        // What libraries take for a server that cannot be reached.
        throw request.signal.aborted ? cause : new TypeError('fetch failed', { cause })
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    await this.dispatchers?.[Symbol.asyncDispose]()
  }

  async #fetched(request: Request, dialing: Dialing): Promise<Response> {
    const url = new URL(request.url)
    const dispatchers = await this.open()
    const answer = await dispatchers.to(originOf(url), dialing, connectMs).request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: request.method as 'GET',
      headers: Object.fromEntries(request.headers),
      body: request.body === null ? null : Buffer.from(await request.arrayBuffer()),
      signal: request.signal,
    })
    const body = await readAll(answer.body)
    return new Response(withoutBody.has(answer.statusCode) ? null : body, {
      status: answer.statusCode,
      headers: Object.entries(answer.headers).flatMap(([name, value = []]) =>
        [value].flat().map((one): [string, string] => [name, one]),
      ),
    })
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
