import { type ErrorCode, GatewayError, isOutOfStack } from '@sluice/contract'
import type { Protocol, Received, UpstreamFailure } from '@sluice/protocols'
import { lacksAddress } from './missing-address.ts'

/**
 * What a failed attempt leads to. `retry`: the same target after a wait. `next`: another target. `stop`: straight to the
 * caller, because it is the caller's mistake and costs nobody a second try.
 */
export type Action = 'retry' | 'next' | 'stop'

const actions: Readonly<Partial<Record<ErrorCode, Action>>> = {
  upstream_rate_limited: 'retry',
  upstream_unavailable: 'retry',
  upstream_cut: 'retry',
  // Another key of the target has been tried by then.
  upstream_refused_us: 'next',
  // A second try at a slow target would cost the caller the same wait again.
  upstream_timeout: 'next',
  upstream_garbled: 'next',
  overloaded: 'next',
  internal: 'next',
}

/** The one table of what is retried, what falls back and what goes straight to the caller. */
export function actionFor(error: GatewayError): Action {
  // The upstream does not have the model, which is how it was configured and not what the caller wrote.
  if (error.code === 'upstream_rejected' && error.details.status === 404) return 'next'
  return actions[error.code] ?? 'stop'
}

/** No other target is tried: the call would end the same way. */
export function isFinal(error: unknown): boolean {
  return !(error instanceof GatewayError) || actionFor(error) === 'stop'
}

/** What reading an upstream's answer threw: what has no room on the stack is the answer's own nesting. */
export function readingFailure(thrown: unknown): GatewayError {
  if (isOutOfStack(thrown))
    return new GatewayError('upstream_garbled', 'The upstream’s answer is nested too deeply', {
      cause: thrown,
    })
  return GatewayError.from(thrown)
}

/** What an upstream's status means for the call. Statuses not listed: 4xx is the caller's, 5xx the upstream's. */
function codeOf(status: number, failure: UpstreamFailure): ErrorCode {
  if (status === 401 || status === 402 || status === 403) return 'upstream_refused_us'
  // Google says of a wrong or expired key that the request is invalid.
  if (/^API_KEY_(INVALID|EXPIRED)$/.test(failure.code ?? '')) return 'upstream_refused_us'
  if (status === 408 || status === 504) return 'upstream_timeout'
  // A spent quota does not come back by waiting: another key may have some left.
  if (status === 429)
    return failure.code === 'insufficient_quota' ? 'upstream_refused_us' : 'upstream_rate_limited'
  // A redirect that was not followed: the address is not what it was configured to be.
  if (status < 400) return 'upstream_garbled'
  if (status === 425) return 'upstream_unavailable'
  return status < 500 ? 'upstream_rejected' : 'upstream_unavailable'
}

/** Who answered. */
interface Named {
  readonly id: string
  readonly protocol: Pick<Protocol, 'requestIdHeader'>
}

/**
 * An upstream's error answer as the gateway's. Its status, message, code and request id are kept, as they came: the end of
 * the attempt takes out what no caller may read.
 */
export function upstreamError(
  { id, protocol }: Named,
  received: Received,
  failure: UpstreamFailure,
  now: number,
): GatewayError {
  const { status, headers } = received
  const code = codeOf(status, failure)
  const requestId = requestIdIn(headers, protocol)
  const retryAfterMs = readRetryAfter(headers, now) ?? failure.retryAfterMs
  const said = code === 'upstream_refused_us' ? '' : failure.message
  return new GatewayError(code, sentence(code, { provider: id, status, said }), {
    upstreamStatus: status,
    ...(lacksAddress(received) && { isMissingAddress: true }),
    cause: failure.message,
    ...(code === 'upstream_rejected' && status >= 400 && { status }),
    ...(failure.code !== undefined && { upstreamCode: failure.code }),
    ...(code === 'upstream_rejected' && failure.code !== undefined && { publicCode: failure.code }),
    ...(failure.param !== undefined && { param: failure.param }),
    ...(requestId !== undefined && { upstreamRequestId: requestId }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  })
}

/** What an upstream calls the request, as it says with its answer. */
export function requestIdIn(
  headers: Received['headers'],
  { requestIdHeader: own }: Pick<Protocol, 'requestIdHeader'>,
): string | undefined {
  const usual = headers['x-request-id'] ?? headers['request-id']
  return usual ?? (own === undefined ? undefined : headers[own])
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

/** What an upstream asks beyond this is a mistake, and would not fit a header of ours. */
const retryAfterMaxMs = 86_400_000

/**
 * Retry-After in seconds or as a date, and OpenAI's retry-after-ms; milliseconds from now, a day at most
 * (RFC 9110, 10.2.3). Undefined for what is neither.
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
