import type { IncomingMessage, ServerResponse } from 'node:http'
import type { GatewayError } from '@sluice/contract'
import type { FastifyReply } from 'fastify'
import type { Answer } from '../gateway/call.ts'

/** How long a stream may be quiet on its way to the caller, in milliseconds. */
export interface StreamTimes {
  /**
   * While nothing happens on a stream, a sign of life goes out this often. Until the first of them the status stays
   * open, so that a failure can still be one.
   */
  readonly keepAliveMs: number
  /** A caller that has taken nothing for this long is taken for gone. */
  readonly stalledMs: number
}

export const defaultStreamTimes: StreamTimes = { keepAliveMs: 10_000, stalledMs: 300_000 }

/** Up to this size a copy costs less than a second buffer for the socket to write. */
const copiedBytesMax = 65_536

/** Sends an answer that is whole, in one piece. */
export function deliverWhole(
  reply: FastifyReply,
  answer: Exclude<Answer, { kind: 'stream' }>,
  { stalledMs }: StreamTimes,
): void {
  const { raw } = reply
  const isJson = answer.kind === 'json'
  const bytes = isJson ? Buffer.from(JSON.stringify(answer.body)) : answer.bytes
  takeDown(reply, isJson ? 'application/json' : answer.contentType, bytes)
  reply.hijack()
  const fields = headFields(reply, answer.headers)
  fields.push('content-type', isJson ? 'application/json; charset=utf-8' : answer.contentType)
  fields.push('content-length', String(bytes.length))
  raw.writeHead(reply.statusCode, fields)
  // Node writes a head and a text together, but a head and bytes one after the other.
  if (bytes.length <= copiedBytesMax) raw.end(latin1(bytes), 'latin1')
  else raw.end(bytes)
  dropWhenStalled(raw, stalledMs)
}

/** Names and values in turn, as Node writes them without looking at them again. */
export function headFields(
  { request }: FastifyReply,
  headers: Readonly<Record<string, string>>,
): string[] {
  const fields = request.answerHeaders
  for (const name in headers) fields.push(name, headers[name] ?? '')
  return fields
}

/** One character for each byte. */
export function latin1({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1')
}

/** What is still on its way may wait no longer than a piece in the middle of a stream. */
export function dropWhenStalled(raw: ServerResponse, stalledMs: number): void {
  if (raw.writableLength > 0 || (raw.socket?.writableLength ?? 0) > 0) raw.setTimeout(stalledMs)
}

/** What is left of a refused body is read for so long, in milliseconds. */
const discardMs = 30_000

/**
 * Reads what is left of a body and throws it away. Closing the connection instead would reset it under a caller that is
 * still sending, and many would never see why they were refused (RFC 9112, 9.6).
 */
function discardRest(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return
  const timer = setTimeout(() => request.destroy(), discardMs).unref()
  // Once it is answered, Node closes it no more when its connection goes.
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
  const { retryAfterMs, isFinal, upstreamRequestId, upstreamStatus } = error.details
  if (isFinal === true || retryAfterMs === Infinity) void reply.header('x-should-retry', 'false')
  if (retryAfterMs !== undefined && retryAfterMs !== Infinity)
    void reply.header('retry-after', String(Math.max(1, Math.ceil(retryAfterMs / 1000))))
  if (upstreamRequestId !== undefined)
    void reply.header('x-upstream-request-id', upstreamRequestId.replace(/[^\x20-\x7e]/g, ''))
  if (upstreamStatus !== undefined) void reply.header('x-upstream-status', String(upstreamStatus))
  // RFC 9110, 11.6.1.
  if (error.status === 401) void reply.header('www-authenticate', 'Bearer')
  discardRest(reply.request.raw)
  const text = JSON.stringify(body)
  takeDown(reply, 'application/json', text)
  void reply.code(error.status).header('content-type', 'application/json; charset=utf-8').send(text)
}

/** Of calls whose answers are kept. */
function takeDown(
  { request }: FastifyReply,
  contentType: string,
  answer: string | Uint8Array,
): void {
  const content = request.call?.content
  if (!content) return
  content.begin(contentType)
  content.add(answer)
}

/** What an error body calls the error: the code of OpenAI's, the status of Google's, the type where neither is. */
export function codeIn(body: unknown): string | undefined {
  const { error } = body as { readonly error?: Readonly<Record<string, unknown>> }
  return [error?.['code'], error?.['status'], error?.['type']].find(
    (word) => typeof word === 'string',
  )
}
