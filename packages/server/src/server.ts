import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { GatewayError } from '@sluice/contract'
import type { ClientFormat } from '@sluice/protocols'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { causeText } from '@sluice/gateway/answer/answer.ts'
import { Cancellation, keyEnded, stopping } from '@sluice/gateway/call/cancellation.ts'
import { isLogged } from '@sluice/gateway/attempt/log-failure.ts'
import { type Call, type CallEnd, headerText } from '@sluice/gateway/call/call.ts'
import type { Gateway } from './gateway.ts'
import { Admission, Leases } from '@sluice/gateway/admit/admission.ts'
import { type Listed, OpenList } from '@sluice/gateway/call/open-list.ts'
import type { CallTrace } from '@sluice/gateway/call/trace.ts'
import type { Caller } from '@sluice/gateway/ports/api-key.ts'
import type { SlotTicket } from '@sluice/gateway/ports/slot-queue.ts'
import type { Address, Selected, ServerOptions } from './address.ts'
import { admitFailed, settle } from './admit.ts'
import { BodyBudget, type BudgetShare } from './body-budget.ts'
import { allowOrigins } from './cors.ts'
import { endOf } from './call-end.ts'
import { defaultStreamTimes, deliverError, funnel } from './deliver.ts'
import { enter } from './enter.ts'
import { askForBodiesLate } from './body.ts'
import { type Face, plainFace, shownId, takeFace } from './face.ts'
import { faultOfHead, refuseClient, refuseTunnels } from './invalid-http.ts'
import { notFound } from './not-found.ts'
import { installRoutes, servedAt } from './routes.ts'
import { publicAddress } from './public-address.ts'
import { pathOf } from './urls.ts'

declare module 'fastify' {
  interface FastifyRequest extends Listed {
    /** The gateway's address as the caller sees it, without a trailing slash. */
    readonly publicAddress: string
    /** Set once the request has been read. */
    call?: Call
    apiKey?: Caller
    /** Cancelled when the caller disconnects. */
    cancellation?: Cancellation
    /** The caller's request id, which need not be unique. */
    givenId?: string
    /** The error code sent to the caller. */
    errorCode?: string | undefined
    /** The error sent to the caller. */
    failure?: GatewayError | undefined
    trace?: CallTrace
    /** The client format of an inference endpoint. */
    format?: ClientFormat
    /** The request's reservations; settled when it is over. */
    admission?: Admission
    /** The request's concurrency slot; released when it is over. */
    ticket?: SlotTicket
    /** The bytes the request holds until it is over. */
    held?: BudgetShare
    /** Headers of every response to this request, names and values alternating. */
    answerHeaders: string[]
    /** Set when it is known what serves the request. */
    face?: Face
  }
  interface FastifyInstance {
    /** Ends all open calls when the server stops, each with an error in its format. */
    endCalls(): void
    /** The number of requests being answered. */
    underWay(): number
    /** Whether the server is about to stop and should get no new requests. */
    isDraining: boolean
  }
  interface FastifyContextConfig {
    face?: Face | 'caller'
    format?: ClientFormat
  }
}

/** Fastify's server with what the gateway adds to it. */
export type GatewayServer = FastifyInstance

/** Request properties, declared in advance so that all requests have the same hidden class. */
const requestFields = [
  'ticket',
  'answerHeaders',
  'face',
  'cancellation',
  'held',
  'admission',
  'call',
  'givenId',
  'apiKey',
  'errorCode',
  'failure',
  'trace',
  'format',
] as const

const wellFormedId = /^[\w.:-]{8,128}$/

export function createServer(gateway: Gateway, options: ServerOptions): GatewayServer {
  const state: State = { calls: new OpenList(), leases: new Leases(), isStopping: false }
  const budget = new BodyBudget(gateway.current)
  const server = Fastify({
    logger: false,
    bodyLimit: Number.MAX_SAFE_INTEGER,
    requestTimeout: options.requestTimeoutMs,
    forceCloseConnections: 'idle',
    // Requests on open connections are still answered while closing; their response closes the connection.
    return503OnClosing: false,
    clientErrorHandler: refuseClient,
    // Checked with the rest of the head, whose errors have a body.
    http: { requireHostHeader: false },
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 1024 },
    genReqId: () => gateway.newId('req_'),
    // URLs that cannot be decoded get here before any hook.
    frameworkErrors(thrown, request, reply) {
      begin(gateway, state, { request, reply })
      const error = funnel(thrown)
      const body = takeFace(request, undefined).error(error, shownId(request))
      addAnswerHeaders(request, reply)
      deliverError(reply, error, body)
    },
  })
  // Node uses the shorter of the two timeouts for the headers and the longer one for the whole request.
  server.server.headersTimeout = Math.min(server.server.headersTimeout, options.requestTimeoutMs)
  askForBodiesLate(server.server)
  refuseTunnels(server.server)
  declareFields(server, options)
  server.decorate('isDraining', false)
  // Endpoints read bodies themselves, because limits and encodings differ.
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', (_request, _payload, done) => done(null))

  server.addHook('onRequest', (request, reply, done) => {
    begin(gateway, state, { request, reply })
    done(faultOfHead(request.raw))
  })
  // For responses sent at once: from here on only the caller is waited for.
  const { stalledMs } = options.streamTimes ?? defaultStreamTimes
  server.addHook('onSend', (request, reply, _payload, done) => {
    addAnswerHeaders(request, reply)
    reply.raw.setTimeout(stalledMs)
    done()
  })
  server.decorate('endCalls', () => {
    for (const { cancellation } of state.calls.all()) cancellation?.cancel(stopping)
  })
  server.decorate('underWay', () => state.calls.size)
  const watching = gateway.keys.watch(() => endInvalid(gateway, state))
  server.addHook('onClose', async () => watching[Symbol.dispose]())
  // Otherwise live subscriptions would delay the stop like open calls.
  server.addHook('preClose', async () => gateway.live.end())
  closeWhenIdle(server, state)
  for (const address of installRoutes())
    install(server, address, { gateway, options, state, budget })
  server.setNotFoundHandler((request, reply) => notFound(request, reply, servedAt))
  server.setErrorHandler((thrown, request, reply) => {
    const error = funnel(thrown)
    const { error: bodyOf } = takeFace(request, request.routeOptions.config.face)
    deliverError(reply, error, bodyOf(error, shownId(request)))
    logFailure(gateway, request, error)
  })
  return server
}

function declareFields(server: FastifyInstance, options: ServerOptions): void {
  for (const name of requestFields) server.decorateRequest(name)
  server.decorateRequest('place', -1)
  // Computed when a response has a link, which few have.
  server.decorateRequest('publicAddress', {
    getter() {
      return publicAddress(this, options)
    },
  })
}

function begin(
  gateway: Gateway,
  state: State,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): void {
  const given = request.raw.headers['x-request-id']
  if (typeof given === 'string' && wellFormedId.test(given)) {
    request.givenId = given
    request.answerHeaders = ['x-request-id', given, 'x-sluice-call-id', request.id, ...allowOrigins]
  } else request.answerHeaders = ['x-request-id', request.id, ...allowOrigins]
  const startedAt = performance.now()
  reply.raw.on('close', () => {
    const disconnected = !reply.raw.writableFinished
    // First, so that everything the call still has open ends and its cost is recorded.
    if (disconnected)
      request.cancellation?.cancel(new GatewayError('cancelled', 'The caller went away'))
    request.held?.release()
    settle(gateway, request, disconnected)
    tell(gateway, endOf(request, reply, { startedAt, disconnected }))
    if (state.isStopping) state.answered?.()
  })
}

function tell({ observers, contents }: Gateway, end: CallEnd): void {
  for (const observer of observers.ofRequests) observer.ended(end)
  if (end.call?.content) contents.ended(end)
  if (end.failure !== undefined) for (const observer of observers.ofFailures) observer.ended(end)
}

/** For responses that Fastify sends. */
function addAnswerHeaders({ answerHeaders }: FastifyRequest, reply: FastifyReply): void {
  for (let index = 0; index < answerHeaders.length; index += 2)
    void reply.header(answerHeaders[index] ?? '', answerHeaders[index + 1])
}

interface State {
  /** Requests that are not completely answered. */
  readonly calls: OpenList<FastifyRequest>
  readonly leases: Leases
  /** Called when none is left. */
  becameIdle?: () => void
  isStopping: boolean
  /** Called after every response while the server stops. */
  answered?: () => void
}

/** Ends the requests of keys that are no longer valid, each with an error in its format. */
function endInvalid({ keys }: Gateway, { calls }: State): void {
  for (const { apiKey, cancellation } of calls.all())
    if (apiKey && !keys.isValid(apiKey)) cancellation?.cancel(keyEnded)
}

/** How long calls with a closed connection may take to record their cost, in milliseconds. */
const endingMs = 2_000

/**
 * Closes each connection after its last response when the server stops; callers would keep it open for a minute. The server
 * has stopped when all calls have ended, shortly after the last connection has closed.
 */
function closeWhenIdle(server: FastifyInstance, state: State): void {
  // Node does not treat preconnected sockets as idle before their first request.
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
    state.leases[Symbol.dispose]()
    if (state.calls.size === 0) return
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
  readonly budget: BodyBudget
}

function install(server: FastifyInstance, address: Address, installing: Installing): void {
  // Model names may contain slashes; ids may not.
  const wildcard = /\{(model|verb|file)\}$/.exec(address.path)?.[1]
  const path = wildcard === undefined ? address.path : address.path.replace(/\{\w+\}$/, '*')
  const url = path.replace(/\{(\w+)\}/g, ':$1')
  const { face = plainFace } = address
  server.route({
    method: address.method === 'GET' ? ['GET', 'HEAD'] : address.method,
    url,
    exposeHeadRoute: false,
    config: { face, ...(address.format && { format: address.format }) },
    // Served in onRequest, because Fastify's further steps are for bodies that it parses and validates itself. No promise is
    // returned: Fastify would wait for it with promises of its own, and it does not send most responses.
    onRequest(request, reply, _done) {
      const selected = selectedBy(address, request, wildcard)
      if (!selected) {
        reply.callNotFound()
        return
      }
      takeFace(request, selected.address.face ?? plainFace)
      const serving = serve(selected, installing, { request, reply })
      serving.catch((thrown: unknown) => void reply.send(thrown))
    },
    handler: neverReached,
  })
}

function neverReached(): never {
  throw new GatewayError('internal', 'A request came past what serves it')
}

interface Incoming {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/** What serves a request that matches a route. */
function selectedBy(
  address: Address,
  request: FastifyRequest,
  wildcard: string | undefined,
): Selected | undefined {
  if (!address.select) return { address, parameters: parametersOf(request, wildcard) }
  const selected = address.select(pathOf(request.url))
  if (selected?.address.format) request.format = selected.address.format
  return selected
}

/** Serves a request from authentication to the end of the response. Errors are answered here too. */
async function serve(
  { address, parameters }: Selected,
  installing: Installing,
  { request, reply }: Incoming,
): Promise<void> {
  const { gateway, options, state, budget } = installing
  const cancellation = new Cancellation()
  request.cancellation = cancellation
  const trace = address.format && gateway.observers.traces?.open(request.raw.headers)
  if (trace) request.trace = trace
  state.calls.add(request)
  try {
    const admission = new Admission(gateway, state.leases)
    request.admission = admission
    const entered = enter(address, { gateway, options, request, admission, cancellation })
    const key = entered instanceof Promise ? await entered : entered
    request.held = budget.open(key.id)
    await address.serve({
      request,
      reply,
      gateway,
      options,
      id: request.id,
      key,
      parameters,
      cancellation,
      held: request.held,
      admission,
    })
  } catch (thrown) {
    const counted = address.isSized === true ? await admitFailed(thrown, request, gateway) : thrown
    const error = funnel(counted)
    if (request.call) describeFailure(reply, request.call)
    await gateway.store.recorded()
    const body = takeFace(request, address.face).error(error, shownId(request))
    deliverError(reply, error, body)
    logFailure(gateway, request, error)
  } finally {
    request.ticket?.leave()
    state.calls.remove(request)
    if (state.calls.size === 0) state.becameIdle?.()
  }
}

function parametersOf(
  request: FastifyRequest,
  wildcard: string | undefined,
): Readonly<Record<string, string>> {
  const given = request.params as Record<string, string>
  if (wildcard === undefined) return given
  const { '*': rest, ...named } = given
  return rest === undefined ? named : { ...named, [wildcard]: rest }
}

/** Adds the headers that describe the attempts to an error response. */
function describeFailure(reply: FastifyReply, { trail }: Call): void {
  if (reply.raw.headersSent) return
  void reply.header('x-sluice-attempts', String(trail.attempts))
  if (trail.provider !== undefined)
    void reply.header('x-sluice-provider', headerText(trail.provider))
  if (trail.model !== undefined) void reply.header('x-sluice-model', headerText(trail.model))
}

/** Upstream failures were already logged per attempt. */
function logFailure(
  { log }: Gateway,
  { id, errorCode }: FastifyRequest,
  error: GatewayError,
): void {
  if (error.blame === 'caller' || isLogged(error)) return
  const fields = {
    id,
    code: errorCode ?? error.code,
    reason: error.message,
    cause: causeText(error),
  }
  if (error.code === 'internal') log.error(fields, 'a request failed')
  else log.warn(fields, 'a request failed')
}
