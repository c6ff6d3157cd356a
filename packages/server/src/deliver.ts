import type { IncomingMessage, ServerResponse } from 'node:http'
import { GatewayError, objectOf } from '@sluice/contract'
import type { FastifyReply } from 'fastify'
import type { Answer } from '@sluice/gateway/call/call.ts'
import type { ContentCapture } from '@sluice/gateway/call/content.ts'

/** How long a stream to the caller may be idle, in milliseconds. */
export interface StreamTimes {
  /**
   * The interval of keep-alives while nothing else is sent. Until the first keep-alive the status is not written, so that a
   * failure can still set it.
   */
  readonly keepAliveMs: number
  /** A caller that reads nothing for this long is disconnected. */
  readonly stalledMs: number
}

export const defaultStreamTimes: StreamTimes = { keepAliveMs: 10_000, stalledMs: 300_000 }

/** Up to this size a copy costs less than a second buffer for the socket. */
const copiedBytesMax = 65_536

/** Sends a whole response at once. */
export function deliverWhole(
  reply: FastifyReply,
  answer: Exclude<Answer, { kind: 'stream' }>,
  { stalledMs }: StreamTimes,
): void {
  const { raw } = reply
  const isJson = answer.kind === 'json'
  const bytes = isJson ? Buffer.from(JSON.stringify(answer.body)) : answer.bytes
  const content = reply.request.call?.content
  if (content) takeDown(content, isJson ? 'application/json' : answer.contentType, bytes)
  reply.hijack()
  const fields = headFields(reply, answer.headers)
  fields.push('content-type', isJson ? 'application/json; charset=utf-8' : answer.contentType)
  fields.push('content-length', String(bytes.length))
  raw.writeHead(reply.statusCode, fields)
  // Node writes headers and a string together, but headers and bytes in two writes.
  if (bytes.length <= copiedBytesMax) raw.end(latin1(bytes), 'latin1')
  else raw.end(bytes)
  dropWhenStalled(raw, stalledMs)
}

/** Names and values alternating, which Node writes without further processing. */
export function headFields(
  { request }: FastifyReply,
  headers: Readonly<Record<string, string>>,
): string[] {
  const fields = request.answerHeaders
  for (const name in headers) fields.push(name, headers[name] ?? '')
  return fields
}

/** A string with one character per byte. */
export function latin1({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1')
}

/** Disconnects a caller that does not read the rest within `stalledMs`. */
export function dropWhenStalled(raw: ServerResponse, stalledMs: number): void {
  if (raw.writableLength > 0 || (raw.socket?.writableLength ?? 0) > 0) raw.setTimeout(stalledMs)
}

/** How long the rest of a refused body is read, in milliseconds. */
const discardMs = 30_000

/**
 * Reads and discards the rest of a body. Closing the connection would reset it while the caller is still sending, and many
 * callers would never see the error (RFC 9112, 9.6).
 */
function discardRest(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return
  const timer = setTimeout(() => request.destroy(), discardMs).unref()
  // Once the response is sent, Node no longer closes the request when the connection is lost.
  const { socket } = request
  const stop = (): void => {
    clearTimeout(timer)
    socket.removeListener('close', stop)
  }
  socket.once('close', stop)
  request.once('close', stop)
  request.unpipe()
  request.resume()
}

/** Sends an error in the caller's format, with its status and Retry-After. */
export function deliverError(reply: FastifyReply, error: GatewayError, body: unknown): void {
  if (reply.raw.headersSent) return
  reply.request.errorCode = codeIn(body)
  reply.request.failure = error
  const { retryAfterMs, upstreamRequestId, upstreamStatus } = error.details
  if (error.isFinal) void reply.header('x-should-retry', 'false')
  if (retryAfterMs !== undefined && retryAfterMs !== Infinity)
    void reply.header('retry-after', String(Math.max(1, Math.ceil(retryAfterMs / 1000))))
  if (upstreamRequestId !== undefined)
    void reply.header('x-upstream-request-id', upstreamRequestId.replace(/[^\x20-\x7e]/g, ''))
  if (upstreamStatus !== undefined) void reply.header('x-upstream-status', String(upstreamStatus))
  // RFC 9110, 11.6.1.
  if (error.status === 401) void reply.header('www-authenticate', 'Bearer')
  discardRest(reply.request.raw)
  const text = JSON.stringify(body)
  const content = reply.request.call?.content
  if (content) takeDown(content, 'application/json', text)
  void reply.code(error.status).header('content-type', 'application/json; charset=utf-8').send(text)
}

/** Records a response that is stored. */
function takeDown(content: ContentCapture, contentType: string, answer: string | Uint8Array): void {
  content.begin(contentType)
  content.add(answer)
}

/** The error code in an error body: OpenAI's `code`, Google's `status`, otherwise the `type`. */
export function codeIn(body: unknown): string | undefined {
  const { code, status, type } = objectOf(objectOf(body)['error'])
  return [code, status, type].find((word) => typeof word === 'string')
}

/** Converts anything thrown to a GatewayError. The only place that interprets foreign errors. */
export function funnel(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown
  if (isFastifyError(thrown) && thrown.statusCode < 500)
    return new GatewayError('invalid_request', thrown.message, { cause: thrown })
  return GatewayError.from(thrown)
}

function isFastifyError(thrown: unknown): thrown is Error & { readonly statusCode: number } {
  return (
    thrown instanceof Error &&
    'code' in thrown &&
    String(thrown.code).startsWith('FST_') &&
    'statusCode' in thrown &&
    typeof thrown.statusCode === 'number'
  )
}
