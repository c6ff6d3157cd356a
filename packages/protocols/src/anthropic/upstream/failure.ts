import {
  type ErrorCode,
  type Fields,
  GatewayError,
  isObject,
  objectOf,
  someText,
} from '@sluice/contract'
import type { Received, UpstreamFailure } from '../../protocol.ts'
import { failureBody } from '../../read-json.ts'

/** Error types and their statuses (Claude docs, API errors). */
const types: Readonly<Record<string, readonly [ErrorCode, number]>> = {
  invalid_request_error: ['upstream_rejected', 400],
  not_found_error: ['upstream_rejected', 404],
  conflict_error: ['upstream_rejected', 409],
  request_too_large: ['upstream_rejected', 413],
  authentication_error: ['upstream_refused_us', 401],
  billing_error: ['upstream_refused_us', 402],
  permission_error: ['upstream_refused_us', 403],
  rate_limit_error: ['upstream_rate_limited', 429],
  timeout_error: ['upstream_timeout', 504],
  api_error: ['upstream_unavailable', 500],
  overloaded_error: ['upstream_unavailable', 529],
}

/** The error of a body or event with status 200. */
export function upstreamError(error: unknown): GatewayError {
  const type = someText(objectOf(error)['type'])
  const [code, status] = types[type ?? ''] ?? ['upstream_unavailable', undefined]
  return new GatewayError(
    code,
    someText(objectOf(error)['message']) ?? 'The upstream reported an error without a message',
    {
      ...(status === undefined ? {} : { upstreamStatus: status }),
      ...(type === undefined ? {} : { upstreamCode: type }),
      ...(code === 'upstream_rejected' && status !== undefined ? { status } : {}),
      ...readableIn(error),
    },
  )
}

const tooLong = /prompt is too long|exceeds? (the )?context (limit|window)/i

/** Reads `{type: error, error: {type, message}}`; other bodies are described by their status. */
export function readFailure(received: Received): UpstreamFailure {
  const { error } = objectOf(failureBody(received))
  const message = someText(objectOf(error)['message']) ?? someText(error)
  const type = someText(objectOf(error)['type'])
  if (message === undefined)
    return { message: `The upstream answered with status ${received.status}` }
  const code = tooLong.test(message) ? 'context_length_exceeded' : type
  return { message, ...(code === undefined ? {} : { code }), ...readableIn(error) }
}

/** More than any of the API's errors has. */
const detailsLengthMax = 2_000

/** What clients read to recover, such as from a thread that the API has forgotten. */
function readableIn(error: unknown): { readonly readable?: Fields } {
  const { details } = objectOf(error)
  if (!isObject(details) || JSON.stringify(details).length > detailsLengthMax) return {}
  return { readable: details }
}
