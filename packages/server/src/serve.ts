import type { IncomingMessage } from 'node:http'
import { performance } from 'node:perf_hooks'
import { GatewayError, invalidRequest } from '@sluice/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Admission, type Leases } from '@sluice/gateway/admit/admission.ts'
import { endCall } from '@sluice/gateway/admit/end-call.ts'
import { causeText } from '@sluice/gateway/call/log.ts'
import { isLogged } from '@sluice/gateway/attempt/log-failure.ts'
import { type Call, type CallEnd, headerText } from '@sluice/gateway/call/call.ts'
import { Cancellation } from '@sluice/gateway/call/cancellation.ts'
import type { OpenList } from '@sluice/gateway/call/open-list.ts'
import type { Address, Selected, ServerOptions } from './address.ts'
import { admitFailed, enter } from './admit.ts'
import { type BodyBudget, BudgetShare } from './body.ts'
import { allowOrigins } from './cors.ts'
import { codeIn, deliverError, funnel } from './deliver.ts'
import { plainFace, shownId, takeFace } from './face.ts'
import type { Gateway } from './gateway.ts'
import type { QueuedResponses } from './invalid-http.ts'

/** The requests of a server. */
export interface Requests {
  /** Those at endpoints that are not completely answered. */
  readonly open: OpenList<FastifyRequest>
  readonly leases: Leases
  readonly queued: QueuedResponses
  /** Called when none is left. */
  becameIdle?: () => void
  isStopping: boolean
  /** Called after every response while the server stops. */
  answered?: () => void
}

interface Serving {
  readonly gateway: Gateway
  readonly options: ServerOptions
  readonly requests: Requests
  readonly budget: BodyBudget
}

interface Incoming {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/** Makes a server answer requests at these addresses. Those elsewhere only begin and end here. */
export function serveAddresses(
  server: FastifyInstance,
  addresses: readonly Address[],
  serving: Serving,
): void {
  const { gateway, requests } = serving
  server.setGenReqId(() => gateway.newId('req_'))
  server.addHook('onRequest', (request, reply, done) => {
    begin(gateway, requests, { request, reply })
    done(faultOfHead(request.raw))
  })
  for (const address of addresses) install(server, address, serving)
}

const wellFormedId = /^[\w.:-]{8,128}$/

/** Begins a request, and ends it when its response is over. */
export function begin(gateway: Gateway, requests: Requests, { request, reply }: Incoming): void {
  const given = request.raw.headers['x-request-id']
  if (typeof given === 'string' && wellFormedId.test(given)) {
    request.givenId = given
    request.answerHeaders = ['x-request-id', given, 'x-sluice-call-id', request.id, ...allowOrigins]
  } else request.answerHeaders = ['x-request-id', request.id, ...allowOrigins]
  const startedAt = performance.now()
  // Only a response queued behind another one has no socket yet.
  if (reply.raw.socket === null) requests.queued.add(reply.raw)
  reply.raw.on('close', () => {
    const disconnected = !reply.raw.writableFinished
    // First, so that everything the call still has open ends and its cost is recorded.
    if (disconnected)
      request.cancellation?.cancel(new GatewayError('cancelled', 'The caller went away'))
    endCall(gateway, request, endOf(request, reply, { startedAt, disconnected }))
    if (requests.isStopping) requests.answered?.()
  })
}

/** Collects the facts of an ended request. */
function endOf(
  request: FastifyRequest,
  { raw }: FastifyReply,
  { startedAt, disconnected }: { readonly startedAt: number; readonly disconnected: boolean },
): CallEnd {
  const { id, givenId, method, url, apiKey: key, call, trace, admission } = request
  const code = request.errorCode ?? (call?.trail.failure && codeInStream(request, call))
  const failure = request.failure ?? call?.trail.failure
  const format = call?.format ?? request.format ?? request.routeOptions.config?.format
  const refusedBy = admission?.refusedBy
  // Set one by one: merging objects takes several times as long.
  const end: { -readonly [Field in keyof CallEnd]: CallEnd[Field] } = {
    id,
    method,
    path: pathOf(url),
    // Node reports 200 if nothing was sent.
    status: raw.headersSent ? raw.statusCode : 499,
    durationMs: performance.now() - startedAt,
    disconnected,
  }
  if (givenId !== undefined) end.givenId = givenId
  if (key) end.key = key
  if (call) end.call = call
  if (code !== undefined) end.code = code
  if (failure) {
    end.failure = failure.code
    end.reason = failure.message
  }
  if (refusedBy !== undefined) end.refusedBy = refusedBy
  if (format) end.format = format
  if (trace) end.trace = trace
  return end
}

/** The path without the query. */
export function pathOf(url: string): string {
  const end = url.indexOf('?')
  return end < 0 ? url : url.slice(0, end)
}

/** The error code in the error event at the end of a stream. */
function codeInStream(request: FastifyRequest, { trail: { failure } }: Call): string | undefined {
  const { error: bodyOf } = takeFace(request, request.routeOptions.config.face)
  return failure && codeIn(bodyOf(failure, shownId(request)))
}

/** The error in a request head that Node's parser accepts; undefined for a valid one. */
function faultOfHead(request: IncomingMessage): GatewayError | undefined {
  const { headers, rawHeaders, url, method } = request
  const hosts = countHosts(rawHeaders)
  // A proxy in front may have used the other header (RFC 9112, 3.2).
  if (hosts > 1) return invalidRequest('Several Host headers')
  const isOld = request.httpVersionMinor === 0
  if (hosts === 0 && !isOld) return invalidRequest('The Host header is missing')
  // The router would take it for a wildcard.
  if (url === '*' && method !== 'OPTIONS') return invalidRequest('This is not a path: *')
  const transfer = headers['transfer-encoding']
  if (transfer !== undefined) return faultOfTransfer(transfer, isOld)
  const { expect } = headers
  if (expect !== undefined && !isOld && expect.toLowerCase() !== '100-continue')
    return new GatewayError('invalid_request', 'Only 100-continue can be expected', { status: 417 })
  return undefined
}

/**
 * Node decodes only the chunks and would pass a compressed body on as if it were the content. HTTP/1.0 has no chunks
 * (RFC 9112, 6.1): a proxy of that version would disagree about where the request ends.
 */
function faultOfTransfer(coding: string, isOld: boolean): GatewayError | undefined {
  if (isOld) return invalidRequest('Transfer-Encoding is not for HTTP/1.0')
  if (coding.trim().toLowerCase() === 'chunked') return undefined
  return new GatewayError('invalid_request', 'Transfer-Encoding must be chunked', { status: 501 })
}

/** Takes raw headers, names and values alternating. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1
  }
  return count
}

function install(server: FastifyInstance, address: Address, serving: Serving): void {
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
      const answering = serve(selected, serving, { request, reply })
      answering.catch((thrown: unknown) => void reply.send(thrown))
    },
    handler: neverReached,
  })
}

function neverReached(): never {
  throw new GatewayError('internal', 'A request came past what serves it')
}

/** What serves a request that matches a route. */
function selectedBy(
  address: Address,
  request: FastifyRequest,
  wildcard: string | undefined,
): Selected | undefined {
  if (address.select) {
    const selected = address.select(pathOf(request.url))
    if (selected?.address.format) request.format = selected.address.format
    return selected
  }
  const given = request.params as Record<string, string>
  if (wildcard === undefined) return { address, parameters: given }
  const { '*': rest, ...named } = given
  return { address, parameters: rest === undefined ? named : { ...named, [wildcard]: rest } }
}

/** Serves a request from authentication to the end of the response. Errors are answered here too. */
async function serve(
  { address, parameters }: Selected,
  { gateway, options, requests, budget }: Serving,
  { request, reply }: Incoming,
): Promise<void> {
  const cancellation = new Cancellation()
  request.cancellation = cancellation
  const trace = address.format && gateway.observers.traces?.open(request.raw.headers)
  if (trace) request.trace = trace
  requests.open.add(request)
  try {
    const admission = new Admission(gateway, requests.leases)
    request.admission = admission
    const entered = enter(address, { gateway, options, request, admission, cancellation })
    const key = entered instanceof Promise ? await entered : entered
    request.held = new BudgetShare(budget, key.id)
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
    requests.open.remove(request)
    if (requests.open.size === 0) requests.becameIdle?.()
  }
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
export function logFailure(
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
