import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import { GatewayError } from '@sluice/contract'
import type { Answer } from '../gateway/gateway.ts'

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

export interface Delivery {
  /** Ends when the caller leaves. */
  readonly signal: AbortSignal
  /** The sign of life of the caller's format. */
  readonly keepAlive: string
  readonly times?: StreamTimes
}

/** Sends an answer. Streams go to the socket as they come and no faster than the caller reads. */
export async function deliver(
  reply: FastifyReply,
  answer: Answer,
  delivery: Delivery,
): Promise<void> {
  reply.headers(answer.headers)
  switch (answer.kind) {
    case 'json':
      await reply
        .header('content-type', 'application/json; charset=utf-8')
        .send(JSON.stringify(answer.body))
      return
    case 'bytes':
      await reply.header('content-type', answer.contentType).send(Buffer.from(answer.bytes))
      return
    case 'stream': {
      const raw = startStream(reply, answer.contentType, answer.length)
      await pump(raw, answer.pieces, delivery)
    }
  }
}

/** Writes the status and headers of a stream; from here on a failure can only be said inside it. */
export function startStream(
  reply: FastifyReply,
  contentType: string,
  length?: number,
): ServerResponse {
  if (reply.raw.headersSent) return reply.raw
  reply.hijack()
  const isText = contentType.startsWith('text/event-stream') || contentType.includes('json')
  reply.raw.writeHead(reply.statusCode, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': contentType,
    ...(length !== undefined && { 'content-length': length }),
    ...(isText && { 'cache-control': 'no-cache', 'x-accel-buffering': 'no' }),
  })
  reply.raw.flushHeaders()
  return reply.raw
}

async function pump(
  raw: ServerResponse,
  pieces: AsyncIterable<string | Uint8Array>,
  { signal, keepAlive, times: { keepAliveMs, stalledMs } = defaultStreamTimes }: Delivery,
): Promise<void> {
  let quiet = false
  const timer =
    keepAlive === ''
      ? undefined
      : setInterval(() => {
          if (quiet && !raw.writableNeedDrain) raw.write(keepAlive)
          quiet = true
        }, keepAliveMs)
  try {
    for await (const piece of pieces) {
      quiet = false
      if (signal.aborted || raw.req.method === 'HEAD') break
      if (!raw.write(piece)) await drained(raw, signal, stalledMs)
    }
    // What is still on its way may wait no longer than a piece in the middle.
    raw.setTimeout(stalledMs)
    raw.end()
  } catch (error) {
    // Only media gets here: half a file can be told from a whole one by its broken connection alone.
    raw.destroy(error instanceof Error ? error : undefined)
  } finally {
    clearInterval(timer)
  }
}

async function drained(raw: ServerResponse, signal: AbortSignal, ms: number): Promise<void> {
  // Closing the connection is what a caller who leaves does, and has the same end.
  const timer = setTimeout(() => raw.destroy(), ms)
  try {
    await once(raw, 'drain', { signal })
  } catch {
    // The caller left while it was slow; the loop sees the signal.
  } finally {
    clearTimeout(timer)
  }
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
  request.once('close', () => clearTimeout(timer))
  request.unpipe()
  request.resume()
}

/** Sends an error in the caller's format, with its status and Retry-After. */
export function deliverError(reply: FastifyReply, error: GatewayError, body: unknown): void {
  if (reply.raw.headersSent) return
  const { retryAfterMs, upstreamRequestId, upstreamStatus } = error.details
  if (retryAfterMs !== undefined)
    void reply.header('retry-after', String(Math.max(1, Math.ceil(retryAfterMs / 1000))))
  if (upstreamRequestId !== undefined)
    void reply.header('x-upstream-request-id', upstreamRequestId.replace(/[^\x20-\x7e]/g, ''))
  if (upstreamStatus !== undefined) void reply.header('x-upstream-status', String(upstreamStatus))
  discardRest(reply.request.raw)
  void reply
    .code(error.status)
    .header('content-type', 'application/json; charset=utf-8')
    .send(JSON.stringify(body))
}
