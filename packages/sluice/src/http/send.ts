import type * as Undici from 'undici'
import { GatewayError } from '@sluice/contract'
import type { Incoming, Outgoing, Send } from '../gateway/send.ts'

export interface Sender extends AsyncDisposable {
  readonly send: Send
}

/** Idle connections stay open for a minute: a handshake costs more than all the rest of a request. */
const keepAliveMs = 60_000

/** Opens the pools of connections to upstreams: the only way out to the network. Disposing closes them. */
export function openSender(): Sender {
  const agents = new Map<number, Undici.Agent>()
  let undici: typeof Undici | undefined

  function agentFor({ Agent }: typeof Undici, connectMs: number): Undici.Agent {
    const known = agents.get(connectMs)
    if (known) return known
    const agent = new Agent({
      connect: { timeout: connectMs },
      keepAliveTimeout: keepAliveMs,
      // The gateway has limits of its own for every phase; undici's would only hide which one was reached.
      headersTimeout: 0,
      bodyTimeout: 0,
      allowH2: false,
    })
    agents.set(connectMs, agent)
    return agent
  }

  return {
    async send(outgoing, signal) {
      // Loaded with the first call to an upstream: a start without one need not wait for a hundred files.
      undici ??= await import('undici')
      const dispatcher = agentFor(undici, outgoing.connectMs)
      return sendOne({ undici, dispatcher }, outgoing, signal)
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...agents.values()].map((agent) => agent.destroy()))
    },
  }
}

const redirectsMax = 3

async function sendOne(
  { undici, dispatcher }: { undici: typeof Undici; dispatcher: Undici.Agent },
  outgoing: Outgoing,
  signal: AbortSignal,
): Promise<Incoming> {
  try {
    let next = outgoing
    for (let redirects = 0; ; redirects += 1) {
      const { method, url, headers, body } = next
      const answer = await undici.request(url, {
        method,
        headers,
        body: body ?? null,
        signal,
        dispatcher,
      })
      const redirected = redirects < redirectsMax && redirect(next, answer)
      if (!redirected) return incomingOf(answer)
      await answer.body.dump()
      next = redirected
    }
  } catch (thrown) {
    throw asFailure(thrown, signal, { undici, connectMs: outgoing.connectMs })
  }
}

/** Downloads may lie elsewhere. Another origin gets no credentials, and a secure address leads to no open one. */
function redirect(
  outgoing: Outgoing,
  { statusCode, headers }: Undici.Dispatcher.ResponseData,
): Outgoing | undefined {
  const { location } = headers
  if (outgoing.method !== 'GET' || statusCode < 300 || statusCode > 308) return undefined
  if (typeof location !== 'string') return undefined
  const from = new URL(outgoing.url)
  const to = new URL(location, from)
  if (to.protocol !== from.protocol && to.protocol !== 'https:') return undefined
  const isSame = to.origin === from.origin
  return { ...outgoing, url: to.href, headers: isSame ? outgoing.headers : { accept: '*/*' } }
}

function incomingOf(answer: Undici.Dispatcher.ResponseData): Incoming {
  return {
    status: answer.statusCode,
    headers: flatten(answer.headers),
    body: answer.body,
  }
}

function flatten(headers: Readonly<Record<string, string | string[] | undefined>>) {
  const flat: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(', ') : value
  return flat
}

function asFailure(
  thrown: unknown,
  signal: AbortSignal,
  { undici: { errors }, connectMs }: { undici: typeof Undici; connectMs: number },
): GatewayError {
  if (signal.aborted && signal.reason instanceof GatewayError) return signal.reason
  if (signal.aborted)
    return new GatewayError('cancelled', 'The caller went away', { cause: thrown })
  if (thrown instanceof errors.ConnectTimeoutError)
    return new GatewayError(
      'upstream_timeout',
      `The upstream could not be reached within ${connectMs} ms (connectMs)`,
      { cause: thrown },
    )
  return new GatewayError('upstream_unavailable', 'The upstream could not be reached', {
    cause: thrown,
  })
}
