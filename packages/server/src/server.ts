import type { Socket } from 'node:net'
import { GatewayError } from '@sluice/contract'
import type { ClientFormat } from '@sluice/protocols/client-format.ts'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { type Cancellation, keyEnded, stopping } from '@sluice/gateway/call/cancellation.ts'
import type { Call } from '@sluice/gateway/call/call.ts'
import type { Gateway } from './gateway.ts'
import { type Admission, Leases } from '@sluice/gateway/admit/admission.ts'
import { type Listed, OpenList } from '@sluice/gateway/call/open-list.ts'
import type { CallTrace } from '@sluice/gateway/call/trace.ts'
import type { Caller } from '@sluice/gateway/ports/api-key.ts'
import type { SlotTicket } from '@sluice/gateway/ports/slot-queue.ts'
import type { ServerOptions } from './address.ts'
import { askForBodiesLate, type BudgetShare } from './body.ts'
import { defaultStreamTimes, deliverError, funnel } from './deliver.ts'
import { type Face, shownId, takeFace } from './face.ts'
import { QueuedResponses, refuseClient, refuseTunnels } from './invalid-http.ts'
import { notFound } from './not-found.ts'
import { installRoutes, servedAt } from './routes.ts'
import { publicAddress } from './public-address.ts'
import { begin, logFailure, type Requests, serveAddresses } from './serve.ts'

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

export function createServer(gateway: Gateway, options: ServerOptions): GatewayServer {
  const requests: Requests = {
    open: new OpenList(),
    leases: new Leases(),
    queued: new QueuedResponses(),
    isStopping: false,
  }
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
    // URLs that cannot be decoded get here before any hook.
    frameworkErrors(thrown, request, reply) {
      begin(gateway, requests, { request, reply })
      const error = funnel(thrown)
      const body = takeFace(request, undefined).error(error, shownId(request))
      addAnswerHeaders(request, reply)
      deliverError(reply, error, body)
    },
  })
  // Node uses the shorter of the two timeouts for the headers and the longer one for the whole request.
  server.server.headersTimeout = Math.min(server.server.headersTimeout, options.requestTimeoutMs)
  askForBodiesLate(server.server)
  refuseTunnels(server.server, requests.queued)
  declareFields(server, options)
  server.decorate('isDraining', false)
  // Endpoints read bodies themselves, because limits and encodings differ.
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', (_request, _payload, done) => done(null))

  // For responses sent at once: from here on only the caller is waited for.
  const { stalledMs } = options.streamTimes ?? defaultStreamTimes
  server.addHook('onSend', (request, reply, _payload, done) => {
    addAnswerHeaders(request, reply)
    reply.raw.setTimeout(stalledMs)
    done()
  })
  server.decorate('endCalls', () => {
    for (const { cancellation } of requests.open.all()) cancellation?.cancel(stopping)
  })
  server.decorate('underWay', () => requests.open.size)
  const watching = gateway.keys.watch(() => endInvalid(gateway, requests))
  server.addHook('onClose', async () => watching[Symbol.dispose]())
  // Otherwise live subscriptions would delay the stop like open calls.
  server.addHook('preClose', async () => gateway.live.end())
  closeWhenIdle(server, requests)
  const { serves = () => true } = options
  serveAddresses(server, installRoutes().filter(serves), {
    gateway,
    options,
    requests,
    budget: { current: gateway.current, byKey: new Map(), all: 0 },
  })
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

/** For responses that Fastify sends. */
function addAnswerHeaders({ answerHeaders }: FastifyRequest, reply: FastifyReply): void {
  for (let index = 0; index < answerHeaders.length; index += 2)
    void reply.header(answerHeaders[index] ?? '', answerHeaders[index + 1])
}

/** Ends the requests of keys that are no longer valid, each with an error in its format. */
function endInvalid({ keys }: Gateway, { open }: Requests): void {
  for (const { apiKey, cancellation } of open.all())
    if (apiKey && !keys.isValid(apiKey)) cancellation?.cancel(keyEnded)
}

/** How long calls with a closed connection may take to record their cost, in milliseconds. */
const endingMs = 2_000

/**
 * Closes each connection after its last response when the server stops; callers would keep it open for a minute. The server
 * has stopped when all calls have ended, shortly after the last connection has closed.
 */
function closeWhenIdle(server: FastifyInstance, requests: Requests): void {
  // Node does not treat preconnected sockets as idle before their first request.
  const sockets = new Set<Socket>()
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.addHook('preClose', (done) => {
    requests.isStopping = true
    requests.answered = () => setImmediate(() => server.server.closeIdleConnections())
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
    done()
  })
  server.addHook('onClose', async () => {
    requests.leases[Symbol.dispose]()
    if (requests.open.size === 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const limit = setTimeout(resolve, endingMs)
    requests.becameIdle = resolve
    await promise
    clearTimeout(limit)
  })
}
