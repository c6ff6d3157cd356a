import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { GatewayError } from '@sluice/contract'
import { Cancellation } from '../gateway/attempt/cancellation.ts'
import type { ApiKey } from '../ports/api-key.ts'
import { causeText, headerText } from '../gateway/answer.ts'
import type { Call, CallEnd } from '../gateway/call.ts'
import type { Gateway } from '../gateway/gateway.ts'
import type { Address, ErrorBody, ServerOptions } from './address.ts'
import { admit } from './admit.ts'
import { authenticate, requireAdministrator } from './authenticate.ts'
import { refuseClient } from './client-error.ts'
import { allowOrigins, answerPreflight } from './cors.ts'
import { defaultStreamTimes, deliverError } from './deliver.ts'
import { funnel } from './funnel.ts'
import { installRoutes } from './routes.ts'
import { pathPattern } from './urls.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once the request has been read. */
    call?: Call
    apiKey?: ApiKey
    /** Cancelled when the caller leaves. */
    cancellation?: Cancellation
    /** Headers of every answer to this request, names and values in turn. */
    answerHeaders: string[]
  }
  interface FastifyContextConfig {
    error?: ErrorBody
  }
}

const wellFormedId = /^[\w.:-]{8,128}$/

export function createServer(gateway: Gateway, options: ServerOptions): FastifyInstance {
  const state: State = { active: 0, isStopping: false }
  const server = Fastify({
    logger: false,
    bodyLimit: Number.MAX_SAFE_INTEGER,
    requestTimeout: options.requestTimeoutMs,
    forceCloseConnections: 'idle',
    // What comes on a connection that is open still is answered; the answer closes it.
    return503OnClosing: false,
    clientErrorHandler: refuseClient,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 1024 },
    genReqId: (raw) => {
      const given = raw.headers['x-request-id']
      return typeof given === 'string' && wellFormedId.test(given) ? given : gateway.newId('req_')
    },
    // An address that cannot be decoded gets here before any hook.
    frameworkErrors(thrown, request, reply) {
      begin(gateway, state, { request, reply })
      addAnswerHeaders(request, reply)
      const error = funnel(thrown)
      deliverError(reply, error, error.toJSON())
    },
  })
  server.decorateRequest('answerHeaders')
  server.decorateRequest('cancellation')
  server.decorateRequest('call')
  server.decorateRequest('apiKey')
  // Bodies are read by the addresses themselves: their limits and forms differ.
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', (_request, _payload, done) => done(null))

  server.addHook('onRequest', (request, reply, done) => {
    begin(gateway, state, { request, reply })
    done()
  })
  // Answers that are sent whole: nobody waits for an upstream any more, only for the caller to take them.
  const { stalledMs } = options.streamTimes ?? defaultStreamTimes
  server.addHook('onSend', (request, reply, _payload, done) => {
    addAnswerHeaders(request, reply)
    reply.raw.setTimeout(stalledMs)
    done()
  })
  closeWhenIdle(server, state)
  const addresses = installRoutes()
  for (const address of addresses) install(server, address, { gateway, options, state })
  server.setNotFoundHandler((request, reply) => notFound(request, reply, addresses))
  server.setErrorHandler((thrown, request, reply) => {
    const error = funnel(thrown)
    const body = request.routeOptions.config.error ?? plainError
    deliverError(reply, error, body(error, request.id))
    logFailure(gateway, request, error)
  })
  return server
}

function begin(
  gateway: Gateway,
  state: State,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): void {
  request.answerHeaders = ['x-request-id', request.id, ...allowOrigins]
  const startedAt = performance.now()
  reply.raw.on('close', () => {
    const left = !reply.raw.writableFinished
    // First: whatever the call still has open ends with it, and writes down what it cost.
    if (left) request.cancellation?.cancel(new GatewayError('cancelled', 'The caller went away'))
    gateway.ended(endOf(request, reply, { startedAt, left }))
    if (state.isStopping) state.answered?.()
  })
}

/** For answers that the framework sends. */
function addAnswerHeaders({ answerHeaders }: FastifyRequest, reply: FastifyReply): void {
  for (let index = 0; index < answerHeaders.length; index += 2)
    void reply.header(answerHeaders[index] ?? '', answerHeaders[index + 1])
}

function endOf(
  { id, method, url, apiKey, call }: FastifyRequest,
  { raw }: FastifyReply,
  { startedAt, left }: { startedAt: number; left: boolean },
): CallEnd {
  return {
    id,
    method,
    path: pathOf(url),
    // Node says 200 where nothing was sent at all.
    status: raw.headersSent ? raw.statusCode : 499,
    durationMs: performance.now() - startedAt,
    left,
    ...(apiKey && { key: apiKey }),
    ...(call && { call }),
  }
}

function pathOf(url: string): string {
  const end = url.indexOf('?')
  return end < 0 ? url : url.slice(0, end)
}

interface State {
  /** Requests that have not been answered to their end. */
  active: number
  /** Told when there is none any more. */
  becameIdle?: () => void
  isStopping: boolean
  /** Told of every answer that has come to its end while the server stops. */
  answered?: () => void
}

/** How long calls whose connection was closed have to write down what they cost, in milliseconds. */
const endingMs = 2_000

/**
 * A stopping server closes each connection after its last answer; its caller would keep it open for a minute. It has
 * stopped when every call has come to its end, which is a little after the last connection has.
 */
function closeWhenIdle(server: FastifyInstance, state: State): void {
  // Connections opened ahead, as browsers and clients do, are not idle to Node before their first request.
  const sockets = new Set<Socket>()
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.addHook('preClose', (done) => {
    state.isStopping = true
    state.answered = () => setImmediate(() => server.server.closeIdleConnections())
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
    done()
  })
  server.addHook('onClose', async () => {
    if (state.active === 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const limit = setTimeout(resolve, endingMs)
    state.becameIdle = resolve
    await promise
    clearTimeout(limit)
  })
}

interface Installing {
  readonly gateway: Gateway
  readonly options: ServerOptions
  readonly state: State
}

function install(
  server: FastifyInstance,
  address: Address,
  { gateway, options, state }: Installing,
): void {
  const url = address.path.replace(/\{(\w+)\}$/, '*').replace(/\{(\w+)\}/g, ':$1')
  const wildcard = /\{(\w+)\}$/.exec(address.path)?.[1]
  server.route({
    method: address.method === 'GET' ? ['GET', 'HEAD'] : address.method,
    url,
    exposeHeadRoute: false,
    config: address.error ? { error: address.error } : {},
    async handler(request, reply) {
      const cancellation = new Cancellation()
      request.cancellation = cancellation
      state.active += 1
      try {
        const entered = enter(address, { gateway, options, state }, request)
        const key = entered instanceof Promise ? await entered : entered
        await address.serve({
          request,
          reply,
          gateway,
          options,
          id: request.id,
          key,
          parameters: parametersOf(request, wildcard),
          cancellation,
        })
      } catch (thrown) {
        const error = funnel(thrown)
        if (request.call) describeFailure(reply, request.call)
        deliverError(reply, error, (address.error ?? plainError)(error, request.id))
        logFailure(gateway, request, error)
      } finally {
        state.active -= 1
        if (state.active === 0) state.becameIdle?.()
      }
      return reply
    },
  })
}

function parametersOf(
  request: FastifyRequest,
  wildcard: string | undefined,
): Readonly<Record<string, string>> {
  const { '*': rest, ...named } = request.params as Record<string, string>
  return wildcard === undefined || rest === undefined ? named : { ...named, [wildcard]: rest }
}

const nobody: ApiKey = {
  id: '',
  name: '',
  hash: '',
  role: 'caller',
  prefix: '',
  createdAt: 0,
  models: [],
}

function enter(
  { access, uncounted }: Address,
  { gateway, options, state }: Installing,
  request: FastifyRequest,
): ApiKey | Promise<ApiKey> {
  if (access === 'open') return nobody
  const key = authenticate(gateway, request)
  request.apiKey = key
  if (access === 'administrator') requireAdministrator(key)
  const withinConcurrency = (): ApiKey => {
    const most = options.concurrentRequests()
    if (most !== undefined && state.active > most)
      throw new GatewayError('overloaded', 'The gateway is answering as many requests as it may', {
        retryAfterMs: 1_000,
      })
    return key
  }
  const rate = options.requestsPerMinute()
  const waiting =
    uncounted === true ? undefined : admit(gateway.limiter, key, rate, request.answerHeaders)
  return waiting ? waiting.then(withinConcurrency) : withinConcurrency()
}

const plainError: ErrorBody = (error) => error.toJSON()

/** A failed call says as much of its way as a good one. */
function describeFailure(reply: FastifyReply, { trail }: Call): void {
  if (reply.raw.headersSent) return
  void reply.header('x-sluice-attempts', String(trail.attempts))
  if (trail.provider !== undefined)
    void reply.header('x-sluice-provider', headerText(trail.provider))
  if (trail.model !== undefined) void reply.header('x-sluice-model', headerText(trail.model))
}

function notFound(
  request: FastifyRequest,
  reply: FastifyReply,
  addresses: readonly Address[],
): FastifyReply {
  const path = pathOf(request.url)
  const found = addresses
    .filter((address) => pathPattern(address.path).test(path))
    .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  const known = found.length > 0
  const methods = [...new Set(found), 'OPTIONS']
  if (known && request.method === 'OPTIONS') {
    answerPreflight(request, reply, methods)
    return reply
  }
  const error = known
    ? new GatewayError('method_not_allowed', `${request.method} is not offered here`)
    : new GatewayError('unknown_url', `Unknown address: ${request.method} ${path.slice(0, 200)}`)
  if (known) void reply.header('allow', methods.join(', '))
  deliverError(reply, error, error.toJSON())
  return reply
}

function logFailure(gateway: Gateway, request: FastifyRequest, error: GatewayError): void {
  const fields = { id: request.id, code: error.code, cause: causeText(error) }
  if (error.code === 'internal') gateway.log.error(fields, 'a request failed')
  else if (error.blame !== 'caller') gateway.log.warn(fields, 'a request failed')
}
