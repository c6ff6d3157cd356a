import { type ErrorCode, GatewayError, isOutOfStack } from '@sluice/contract'
import type { Protocol, Received, UpstreamFailure } from '@sluice/protocols/protocol.ts'
import { requestIdIn } from '../call/send.ts'
import { missingAddress } from '../call/missing-address.ts'
import { hasRoom, isLargerThanLimit } from '@sluice/protocols/rate-limits.ts'

/**
 * What a failed attempt leads to. `retry`: the same target after a wait. `next`: another target. `stop`: the error
 * goes to the caller, whose mistake it is.
 */
export type Action = 'retry' | 'next' | 'stop'

const actions: Readonly<Partial<Record<ErrorCode, Action>>> = {
  upstream_rate_limited: 'retry',
  upstream_unavailable: 'retry',
  upstream_cut: 'retry',
  // Another key of the target has already been tried.
  upstream_refused_us: 'next',
  // Retrying a slow target would make the caller wait as long again.
  upstream_timeout: 'next',
  upstream_garbled: 'next',
  overloaded: 'next',
  // No room for another attempt; the other leg of a hedge goes on.
  quota_exceeded: 'next',
  internal: 'next',
}

/** The single place that decides what is retried, what falls back and what goes to the caller. */
export function actionFor(error: GatewayError): Action {
  const { status, missingAddress: missing } = error.details
  // The upstream lacks the model or the address, which is a configuration error and not the caller's.
  if (error.code === 'upstream_rejected' && (status === 404 || missing === 'proved')) return 'next'
  if (error.code === 'upstream_rate_limited' && error.details.isFinal === true) return 'next'
  return actions[error.code] ?? 'stop'
}

/**
 * Whether the rate of the key is used up for the model: the upstream limits it, or is unavailable for a time that it names. Not if
 * the limit concerns this request alone.
 */
export function limitsKey({ code, details }: GatewayError): boolean {
  if (details.isOwnLimit === true) return false
  return (
    code === 'upstream_rate_limited' ||
    (code === 'upstream_unavailable' &&
      details.upstreamStatus === 503 &&
      details.retryAfterMs !== undefined)
  )
}

/** Whether other targets would fail the same way and need not be tried. */
export function isFinal(error: unknown): boolean {
  return !(error instanceof GatewayError) || actionFor(error) === 'stop'
}

/** Converts an error thrown while reading a response. A stack overflow means that the response is nested too deeply. */
export function readingFailure(thrown: unknown): GatewayError {
  if (isOutOfStack(thrown))
    return new GatewayError('upstream_garbled', 'The upstream’s response is nested too deeply', {
      cause: thrown,
    })
  return GatewayError.from(thrown)
}

/** Maps an upstream's status to an error code. Other 4xx are the caller's fault, other 5xx the upstream's. */
function codeOf(status: number, failure: UpstreamFailure): ErrorCode {
  if (status === 401 || status === 402 || status === 403) return 'upstream_refused_us'
  // Google reports a wrong or expired key as an invalid request.
  if (/^API_KEY_(INVALID|EXPIRED)$/.test(failure.code ?? '')) return 'upstream_refused_us'
  if (status === 408 || status === 504) return 'upstream_timeout'
  // Waiting does not restore an exhausted quota; another key may have some left.
  if (status === 429)
    return failure.code === 'insufficient_quota' ? 'upstream_refused_us' : 'upstream_rate_limited'
  // Redirects are not followed: the configured address is wrong.
  if (status < 400) return 'upstream_garbled'
  // 499: the upstream lost its client, which is the gateway and not the caller.
  if (status === 425 || status === 499) return 'upstream_unavailable'
  return status < 500 ? 'upstream_rejected' : 'upstream_unavailable'
}

/** The provider that answered. */
interface Named {
  readonly id: string
  readonly protocol: Pick<Protocol, 'requestIdHeader'>
}

/**
 * Converts an upstream's error response. Status, message, code and request id are kept unmasked; they are masked at
 * the end of the attempt.
 */
export function upstreamError(
  { id, protocol }: Named,
  received: Received,
  failure: UpstreamFailure,
  now: number,
): GatewayError {
  const { status, headers } = received
  const missing = missingAddress(received, failure)
  // An address that is missing is no failure of the upstream, whose other addresses work.
  const isAbsent = missing === 'proved' && status >= 500
  const code = isAbsent ? 'upstream_rejected' : codeOf(status, failure)
  const requestId = requestIdIn(headers, protocol)
  const retryAfterMs = readRetryAfter(headers, now) ?? failure.retryAfterMs
  const said = code === 'upstream_refused_us' ? '' : failure.message
  return new GatewayError(code, sentence(code, { provider: id, status, said }), {
    upstreamStatus: status,
    ...(missing !== undefined && { missingAddress: missing }),
    ...(code === 'upstream_rate_limited' && ownLimit(failure.message, headers)),
    cause: failure.message,
    ...(code === 'upstream_rejected' && status >= 400 && { status: isAbsent ? 404 : status }),
    ...(failure.code !== undefined && { upstreamCode: failure.code }),
    ...(code === 'upstream_rejected' && failure.code !== undefined && { publicCode: failure.code }),
    ...(failure.param !== undefined && { param: failure.param }),
    ...(failure.readable !== undefined &&
      code !== 'upstream_refused_us' && { readable: failure.readable }),
    ...(requestId !== undefined && { upstreamRequestId: requestId }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  })
}

function sentence(
  code: ErrorCode,
  { provider, status, said }: { provider: string; status: number; said: string },
): string {
  if (code === 'upstream_rejected') return said === '' ? `${provider} answered ${status}` : said
  if (code === 'upstream_refused_us')
    return `${provider} refused the gateway’s credential or account (${status})`
  return `${provider} answered ${status}${said === '' ? '' : `: ${said}`}`
}

function ownLimit(message: string, headers: Received['headers']) {
  if (isLargerThanLimit(message)) return { isOwnLimit: true, isFinal: true }
  return hasRoom(headers) && { isOwnLimit: true }
}

/** Longer values are treated as mistakes, and would not fit the gateway's own header. */
const retryAfterMaxMs = 86_400_000

/**
 * Parses Retry-After (seconds or a date) and OpenAI's retry-after-ms. Returns milliseconds from now, at most a day
 * (RFC 9110, 10.2.3). Undefined if neither is valid.
 */
export function readRetryAfter(
  headers: Readonly<Record<string, string>>,
  now: number,
): number | undefined {
  const milliseconds = Number(headers['retry-after-ms'] ?? Number.NaN)
  if (Number.isFinite(milliseconds) && milliseconds >= 0) return bounded(milliseconds)
  const value = headers['retry-after']?.trim()
  if (value === undefined || value === '') return undefined
  const seconds = Number(value)
  if (Number.isFinite(seconds)) return bounded(seconds * 1000)
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : bounded(date - now)
}

function bounded(ms: number): number {
  return Math.min(retryAfterMaxMs, Math.max(0, ms))
}
