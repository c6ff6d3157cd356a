import {
  type ErrorCode,
  type Fields,
  GatewayError,
  isObject,
  listOf,
  objectOf,
  someText,
} from '@sluice/contract'
import type { Received, UpstreamFailure } from '../../protocol.ts'
import { failureBody, receivedObject } from '../../read-json.ts'

/**
 * Reads Google's error body: `{error: {code, message, status, details}}` (https://google.aip.dev/193), which streamed arrays
 * wrap in one more array. `code` becomes the most precise word available: an ErrorInfo reason such as API_KEY_INVALID, which
 * comes with status 400, otherwise the status. The message names the field at fault as Gemini calls it.
 */
export function readFailure(received: Received): UpstreamFailure {
  const fallback = `The upstream answered with status ${received.status}`
  const error = errorIn(failureBody(received))
  return error === undefined ? { message: fallback } : failureIn(error, fallback)
}

/** The error in a body or a fragment; undefined if there is none. */
export function errorIn(body: unknown): Fields | undefined {
  const first: unknown = Array.isArray(body) ? body[0] : body
  const { error } = objectOf(first) as { readonly error?: unknown }
  if (typeof error === 'string') return { message: error }
  return isObject(error) ? error : undefined
}

/** A whole response as an object. Throws the error that a response with status 200 may contain, or `upstream_garbled`. */
export function bodyOf(received: Received): Fields {
  const error = errorIn(received.json())
  if (error !== undefined) throw upstreamError(error)
  return receivedObject(received)
}

/** An error that came with status 200, in a body or as a fragment of a stream. */
export function upstreamError(error: Fields): GatewayError {
  const failure = failureIn(error, 'The upstream reported an error without a message')
  const status = typeof error['code'] === 'number' ? error['code'] : undefined
  const code = codeOf(status, failure.code)
  return new GatewayError(code, failure.message, {
    ...(status === undefined ? {} : { upstreamStatus: status }),
    ...(failure.code === undefined ? {} : { upstreamCode: failure.code }),
    ...(failure.retryAfterMs === undefined ? {} : { retryAfterMs: failure.retryAfterMs }),
    ...(code === 'upstream_rejected' && status !== undefined ? { status } : {}),
  })
}

function failureIn(error: Fields, fallback: string): UpstreamFailure {
  const details = listOf(error['details']).map(objectOf)
  const reason = details.map((detail) => someText(detail['reason'])).find(Boolean)
  const code = reason ?? someText(error['status'])
  const retryAfterMs = details.map((detail) => durationMs(detail['retryDelay'])).find(Boolean)
  return {
    message: someText(error['message']) ?? fallback,
    ...(code === undefined ? {} : { code }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  }
}

/** Converts a protobuf duration in JSON, such as `34.4s`, into milliseconds. */
function durationMs(value: unknown): number | undefined {
  const seconds = /^(\d+(?:\.\d+)?)s$/.exec(someText(value) ?? '')?.[1]
  return seconds === undefined ? undefined : Math.ceil(Number(seconds) * 1000)
}

/** Reasons that concern the gateway's own credential although the status is 400. */
const credentialReasons: ReadonlySet<string> = new Set([
  'API_KEY_INVALID',
  'API_KEY_EXPIRED',
  'UNAUTHENTICATED',
  'PERMISSION_DENIED',
])

function codeOf(status: number | undefined, word: string | undefined): ErrorCode {
  if (word !== undefined && credentialReasons.has(word)) return 'upstream_refused_us'
  if (status === 429 || word === 'RESOURCE_EXHAUSTED') return 'upstream_rate_limited'
  if (status === 401 || status === 402 || status === 403) return 'upstream_refused_us'
  if (status === 504 || word === 'DEADLINE_EXCEEDED') return 'upstream_timeout'
  return status !== undefined && status >= 400 && status < 500 && status !== 499
    ? 'upstream_rejected'
    : 'upstream_unavailable'
}
