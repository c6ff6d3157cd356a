import { randomBytes } from 'node:crypto'
import { GatewayError, objectOf, type OperationName } from '@sluice/contract'
import { failureBody } from '@sluice/protocols/read-json.ts'
import type { Received, UpstreamRequest, Codec, CodecContext } from '@sluice/protocols/protocol.ts'
import { outgoing } from '@sluice/gateway/providers/provider.ts'
import { missingAddress } from '@sluice/gateway/call/missing-address.ts'
import { ask, type Send } from '@sluice/gateway/call/send.ts'
import { untilAborted } from '@sluice/gateway/call/until-aborted.ts'
import type { Upstream, UpstreamModel } from '@sluice/gateway/route/routing.ts'
import { upstreamError } from '@sluice/gateway/attempt/failures.ts'
import { reasonOf } from './command-error.ts'

/** The result of checking one provider key. */
export interface LiveResult {
  readonly provider: string
  /** Its position among the provider's keys, from 1; absent if the provider needs none. */
  readonly key?: number
  readonly verdict: 'ok' | 'refused' | 'unreachable' | 'failing'
  /** A description without secrets. */
  readonly detail: string
  /** The provider's response status; absent if there was no response. */
  readonly status?: number
  readonly ms: number
  /** The models it lists. */
  readonly models: readonly string[]
}

export interface LiveOptions {
  readonly send: Send
  /** For all requests with one key, in milliseconds. */
  readonly timeoutMs: number
  /** Called with the number of keys checked so far. */
  readonly at: (done: number, total: number) => void
}

/** Checks every provider with each of its keys, all at once. Never rejects. */
export function checkLive(
  upstreams: Iterable<Upstream>,
  options: LiveOptions,
): Promise<readonly LiveResult[]> {
  const all = [...upstreams].flatMap((upstream) =>
    upstream.secrets.map((secret, index) => ({ upstream, secret, index })),
  )
  let done = 0
  options.at(done, all.length)
  return Promise.all(
    all.map(async (one) => {
      const result = await checkKey(one, options)
      options.at((done += 1), all.length)
      return result
    }),
  )
}

interface Checking {
  readonly upstream: Upstream
  readonly secret: string
  readonly index: number
}

async function checkKey(
  { upstream, secret, index }: Checking,
  { send, timeoutMs }: Pick<LiveOptions, 'send' | 'timeoutMs'>,
): Promise<LiveResult> {
  const startedAt = performance.now()
  const signal = AbortSignal.timeout(timeoutMs)
  const asking: Asking = { upstream, send, signal, timeoutMs }
  const found = await verdictOf(asking, secret).catch((thrown: unknown) =>
    failed(asking, GatewayError.from(signal.aborted ? signal.reason : thrown)),
  )
  return {
    provider: upstream.id,
    ...(secret !== '' && { key: index + 1 }),
    models: [],
    ...found,
    detail: withoutSecrets(found.detail, upstream),
    ms: Math.round(performance.now() - startedAt),
  }
}

/** Shorter texts are not masked: they could be part of any word. */
const secretLengthMin = 6

/** Some providers quote the key they refuse. */
function withoutSecrets(text: string, { secrets, headers }: Upstream): string {
  return [...secrets, ...Object.values(headers)]
    .filter((secret) => secret.length >= secretLengthMin)
    .reduce((rest, secret) => rest.replaceAll(secret, '***'), text)
}

interface Asking {
  readonly upstream: Upstream
  readonly send: Send
  readonly signal: AbortSignal
  readonly timeoutMs: number
}

type Verdict = Pick<LiveResult, 'verdict' | 'detail' | 'status'> &
  Partial<Pick<LiveResult, 'models'>>

/**
 * The model list tells whether a key is valid, unless the list is public. In that case, and if there is no list, a request
 * without content is sent, for which nothing is generated and nothing costs.
 */
async function verdictOf(asking: Asking, secret: string): Promise<Verdict> {
  const { upstream } = asking
  const list = upstream.provider.protocol.models
  if (!list) return byEmptyRequest(asking, secret, [])
  const get = { method: 'GET', path: list.path } as const
  const received = await exchange(asking, get, secret)
  if (hasNoList(upstream, received)) return byEmptyRequest(asking, secret, [])
  if (received.status !== 200) return refusal(asking, received)
  const models = list.decode(received.json()).map(({ id }) => id)
  const found = ok(`${models.length} models`, received, models)
  if (secret === '') return found
  const isPublic = (await exchange(asking, get, undefined)).status === 200
  return isPublic ? byEmptyRequest(asking, secret, models) : found
}

/** Whether a response says that there is no list, such as LM Studio's with status 200. */
function hasNoList({ provider: { protocol } }: Upstream, received: Received): boolean {
  const isError = received.status !== 200 || objectOf(failureBody(received))['error'] != null
  return isError && missingAddress(received, protocol.failure(received)) !== undefined
}

/**
 * An error that finds fault with the request implies that the key was accepted, unless the same is said without a key: then the key
 * is not known to be good.
 */
async function byEmptyRequest(
  asking: Asking,
  secret: string,
  models: readonly string[],
): Promise<Verdict> {
  const request = emptyRequest(asking.upstream, models)
  if (!request) return { verdict: 'ok', detail: 'nothing that could be asked', models }
  const received = await exchange(asking, request, secret)
  if (received.status < 300) return ok('answered a request without content', received, models)
  const found = refusal(asking, received)
  const isKnown = received.status === 400 || received.status === 422 || models.length > 0
  if (found.verdict !== 'failing' || received.status >= 429 || !isKnown) return { ...found, models }
  const isUnread =
    secret !== '' && (await exchange(asking, request, undefined)).status === received.status
  const words = isUnread
    ? 'reachable; only a paid request would show whether the key is good'
    : 'key accepted'
  return ok(
    `${words}, a request without content was refused (${received.status})`,
    received,
    models,
  )
}

function ok(detail: string, { status }: Received, models: readonly string[]): Verdict {
  return { verdict: 'ok', detail, status, models }
}

/** Maximum length of a provider's error message. */
const messageMax = 200

function refusal({ upstream }: Asking, received: Received): Verdict {
  const { protocol } = upstream.provider
  const failure = protocol.failure(received)
  const error = upstreamError({ id: upstream.id, protocol }, received, failure, Date.now())
  const { status } = received
  const { cause } = error.details
  const words = typeof cause === 'string' && cause !== '' ? `: ${cause.slice(0, messageMax)}` : ''
  if (error.code === 'upstream_refused_us')
    return { verdict: 'refused', detail: `key refused (${status})${words}`, status }
  const hint = status === 404 ? '; is baseUrl right?' : ''
  return { verdict: 'failing', detail: `answered ${status}${words}${hint}`, status }
}

function failed({ timeoutMs }: Asking, error: GatewayError): Verdict {
  if (error.code === 'upstream_garbled')
    return { verdict: 'failing', detail: 'did not return a model list' }
  if (error.code === 'upstream_refused_us') return { verdict: 'refused', detail: error.message }
  const { cause } = error.details
  const isLate = cause instanceof Error && cause.name === 'TimeoutError'
  const reason = (cause instanceof Error && reasonOf(cause)) || error.message
  const detail = isLate ? `no answer within ${timeoutMs} ms` : reason
  return { verdict: 'unreachable', detail: `unreachable (${detail})` }
}

/** Sends one request; without a secret it carries no credentials. */
async function exchange(
  { upstream, send, signal, timeoutMs }: Asking,
  made: UpstreamRequest,
  secret: string | undefined,
): Promise<Received> {
  const { provider, settings } = upstream
  const request = outgoing(made, upstream, newId)
  const signed =
    secret === undefined
      ? {}
      : await untilAborted(provider.credentials(secret, request, settings, upstream.fetch), signal)
  const headers = { ...request.headers, ...signed }
  const { url, body } = request
  const { dialing } = upstream
  return ask(
    send,
    { method: made.method, url, headers, body, connectMs: timeoutMs, dialing },
    signal,
  )
}

/** A small request of each operation, whose content is then left out. */
const requests: Readonly<Partial<Record<OperationName, object>>> = {
  embed: { input: 'Hi' },
  chat: { messages: [{ role: 'user', content: 'Hi' }], max_completion_tokens: 1 },
  rerank: { query: 'Hi', documents: ['Hi'] },
  speak: { input: 'Hi', voice: 'alloy' },
}

/** A request that has only the name of a model; undefined if an upstream supports none of these operations. */
function emptyRequest(
  { provider, settings, models: configured }: Upstream,
  listed: readonly string[],
): UpstreamRequest | undefined {
  const known: UpstreamModel | undefined = configured?.[0] ?? provider.models?.[0]
  const model = known ? (known.upstream ?? known.id) : (listed[0] ?? 'check')
  for (const [name, fields] of Object.entries(requests)) {
    const operation = name as OperationName
    const codec = provider.protocol.codecs[operation] as Codec<OperationName> | undefined
    if (!codec || provider.operations?.includes(operation) === false) continue
    const context = contextOf(model, settings)
    const made = (provider.quirks ?? []).reduce(
      (before, quirk) => quirk(before, operation, context),
      codec.encode({ model, ...fields } as never, context),
    )
    return withoutContent(made)
  }
  return undefined
}

function withoutContent(request: UpstreamRequest): UpstreamRequest {
  if (request.body?.kind !== 'json') return request
  const { model } = objectOf(request.body.value)
  return { ...request, body: { kind: 'json', value: model === undefined ? {} : { model } } }
}

function contextOf(model: string, settings: CodecContext['settings']): CodecContext {
  return {
    model,
    family: model,
    publicModel: model,
    unsupported: () => {},
    leftOut: () => {},
    now: Date.now,
    newId,
    settings,
    media: new Map(),
  }
}

const newId = (prefix: string) => prefix + randomBytes(8).toString('hex')
