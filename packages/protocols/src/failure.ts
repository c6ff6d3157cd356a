import {
  type ErrorCode,
  type Fields,
  GatewayError,
  isObject,
  listOf,
  objectOf,
  someText,
} from '@sluice/contract'
import type { Received, UpstreamFailure } from './protocol.ts'

interface ErrorFields {
  readonly message?: unknown
  readonly code?: unknown
  readonly type?: unknown
  readonly param?: unknown
  readonly status?: unknown
}

/**
 * Finds the error object in a body: in `error`, or the body itself (vLLM's `object: error`, DashScope's flat code and
 * message). Undefined if the body contains none.
 */
export function errorIn(body: Fields): unknown {
  const { error } = body
  if (error !== undefined && error !== null && error !== false) return error
  if (body['object'] === 'error' || body['type'] === 'error') return body
  if (body['choices'] === undefined && typeof body['message'] === 'string' && 'code' in body)
    return body
  return undefined
}

/** The body of a response with status 200; throws the error that some upstreams put there. */
export function bodyOf(received: Received): Fields {
  const body = received.json()
  if (!isObject(body))
    throw new GatewayError('upstream_garbled', 'The upstream answered with something unreadable')
  const error = errorIn(body)
  if (error !== undefined) throw upstreamError(error)
  return body
}

/** Turns an error that came with status 200, in a body or as a stream event, into a gateway error. */
export function upstreamError(error: unknown): GatewayError {
  const fields: ErrorFields = objectOf(error)
  const message = messageOf(error) ?? 'The upstream reported an error without a message'
  const words = [fields.code, fields.type, fields.status].flatMap((word) => someText(word) ?? [])
  const status = [fields.code, fields.status].find((value) => typeof value === 'number')
  const code =
    (typeof status === 'number' ? codeOfStatus(status) : undefined) ??
    words.map(codeOfWord).find((found) => found !== undefined) ??
    'upstream_unavailable'
  const upstreamCode = words[0] ?? (typeof status === 'number' ? String(status) : undefined)
  const param = someText(fields.param)
  return new GatewayError(code, message, {
    ...(upstreamCode === undefined ? {} : { upstreamCode }),
    ...(typeof status === 'number' ? { upstreamStatus: status } : {}),
    ...(code === 'upstream_rejected' && words[0] !== undefined ? { publicCode: words[0] } : {}),
    ...(code === 'upstream_rejected' && param !== undefined ? { param } : {}),
  })
}

function codeOfStatus(status: number): ErrorCode | undefined {
  if (status === 429) return 'upstream_rate_limited'
  if (status === 401 || status === 403) return 'upstream_refused_us'
  if (status === 408 || status === 504) return 'upstream_timeout'
  // The upstream lost its client, which is the gateway and not the caller.
  if (status === 499) return 'upstream_unavailable'
  if (status >= 400 && status < 500) return 'upstream_rejected'
  return status >= 500 && status < 600 ? 'upstream_unavailable' : undefined
}

/** Recognizes the kind of an error by its words. The first matching row decides. */
const words: readonly (readonly [RegExp, ErrorCode])[] = [
  [/rate.?limit|too.?many|quota|^(tokens|requests)$|throttl/i, 'upstream_rate_limited'],
  [/overload|unavailable|capacity|server.?error|internal/i, 'upstream_unavailable'],
  [/timeout|timed.?out/i, 'upstream_timeout'],
  [/api.?key|authentication|unauthorized|permission/i, 'upstream_refused_us'],
  [
    /invalid|context.?length|content|policy|not.?found|unsupported|moderation/i,
    'upstream_rejected',
  ],
]

function codeOfWord(word: string): ErrorCode | undefined {
  return words.find(([pattern]) => pattern.test(word))?.[1]
}

/** The message of an error. Upstreams put it into different fields. */
function messageOf(error: unknown): string | undefined {
  if (typeof error === 'string') return someText(error)
  const fields = objectOf(error)
  for (const name of ['message', 'msg', 'err', 'error_msg', 'detail', 'error']) {
    const value = fields[name]
    const text = someText(value) ?? (isObject(value) ? messageOf(value) : undefined)
    if (text !== undefined) return text
  }
  const details = listOf(fields['detail']).flatMap((item) => someText(objectOf(item)['msg']) ?? [])
  return details.length > 0 ? details.join('; ') : undefined
}

/** Reads the body of an error response: OpenAI's error object, FastAPI's detail, or plain text. */
export function readFailure(received: Received): UpstreamFailure {
  const fallback = `The upstream answered with status ${received.status}`
  let body: unknown
  try {
    body = received.json()
  } catch {
    return { message: plainText(received) ?? fallback }
  }
  const first: unknown = Array.isArray(body) ? body[0] : body
  const error = objectOf(first)['error'] ?? first
  const { code, type, param }: ErrorFields = objectOf(error)
  const known = someText(code) ?? (typeof code === 'number' ? String(code) : someText(type))
  const path = someText(param)
  return {
    message: messageOf(error) ?? messageOf(first) ?? fallback,
    ...(known === undefined ? {} : { code: known }),
    ...(path === undefined ? {} : { param: path }),
  }
}

/** A short text body is the message; an HTML page is not. */
function plainText({ bytes, contentType }: Received): string | undefined {
  if (bytes.length === 0 || bytes.length > 2048 || contentType.includes('html')) return undefined
  const text = new TextDecoder().decode(bytes).trim()
  return text === '' || text.startsWith('<') ? undefined : text
}
