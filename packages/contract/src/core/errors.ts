/**
 * All ways in which a call can fail, one row each. No other part of the gateway chooses a status. `type` and `publicCode` are
 * what a caller sees in the error body (OpenAI error codes guide).
 */
const table = {
  invalid_request: row(400, 'invalid_request_error', null, 'caller'),
  unsupported_parameter: row(400, 'invalid_request_error', 'unsupported_parameter', 'caller'),
  unsupported_value: row(400, 'invalid_request_error', 'unsupported_value', 'caller'),
  missing_parameter: row(400, 'invalid_request_error', 'missing_required_parameter', 'caller'),
  context_length_exceeded: row(400, 'invalid_request_error', 'context_length_exceeded', 'caller'),
  unauthenticated: row(401, 'invalid_request_error', 'invalid_api_key', 'caller'),
  forbidden: row(403, 'permission_error', 'access_denied', 'caller'),
  model_not_found: row(404, 'invalid_request_error', 'model_not_found', 'caller'),
  not_found: row(404, 'invalid_request_error', 'not_found', 'caller'),
  unknown_url: row(404, 'invalid_request_error', 'unknown_url', 'caller'),
  method_not_allowed: row(405, 'invalid_request_error', 'method_not_allowed', 'caller'),
  conflict: row(409, 'invalid_request_error', 'conflict', 'caller'),
  too_large: row(413, 'invalid_request_error', 'request_too_large', 'caller'),
  unsupported_media_type: row(400, 'invalid_request_error', 'unsupported_media_type', 'caller'),
  range_not_satisfiable: row(416, 'invalid_request_error', 'range_not_satisfiable', 'caller'),
  upgrade_required: row(426, 'invalid_request_error', 'upgrade_required', 'caller'),
  rate_limited: row(429, 'requests', 'rate_limit_exceeded', 'caller'),
  quota_exceeded: row(429, 'insufficient_quota', 'insufficient_quota', 'caller'),
  content_blocked: row(400, 'invalid_request_error', 'content_policy_violation', 'caller'),
  cancelled: row(499, 'api_error', 'cancelled', 'caller'),
  /** The upstream reports that the caller's request is wrong; its own status and message are kept. */
  upstream_rejected: row(400, 'invalid_request_error', null, 'caller'),
  upstream_rate_limited: row(429, 'requests', 'rate_limit_exceeded', 'upstream'),
  /** The upstream rejected the gateway's own credential. Never shown as if the caller's were wrong. */
  upstream_refused_us: row(502, 'upstream_error', 'upstream_authentication', 'operator'),
  upstream_garbled: row(502, 'upstream_error', 'bad_response', 'upstream'),
  upstream_cut: row(502, 'upstream_error', 'stream_interrupted', 'upstream'),
  upstream_unavailable: row(503, 'upstream_error', 'upstream_unavailable', 'upstream'),
  upstream_timeout: row(504, 'upstream_error', 'upstream_timeout', 'upstream'),
  not_implemented: row(501, 'invalid_request_error', 'api_not_implemented', 'operator'),
  overloaded: row(503, 'server_error', 'overloaded', 'operator'),
  internal: row(500, 'server_error', null, 'operator'),
} as const

/** Clients retry every 5xx unless they are told not to. These stay as they are until the operator changes something. */
const final: ReadonlySet<string> = new Set<keyof typeof table>([
  'upstream_refused_us',
  'not_implemented',
])

interface Row {
  readonly status: number
  readonly type: string
  readonly publicCode: string | null
  readonly blame: 'caller' | 'upstream' | 'operator'
}

function row(status: number, type: string, publicCode: string | null, blame: Row['blame']): Row {
  return { status, type, publicCode, blame }
}

export type ErrorCode = keyof typeof table

export const errorCodes = Object.keys(table) as readonly ErrorCode[]

/** The body of every OpenAI-style error response: four keys, null for those that do not apply. */
export interface ErrorBody {
  readonly error: {
    readonly message: string
    readonly type: string
    readonly param: string | null
    readonly code: string | null
  }
}

export interface ErrorDetails {
  /** The path of the field at fault, such as `messages[2].content[0].image_url`. */
  readonly param?: string
  /** How long the caller should wait, in milliseconds; sent as Retry-After. */
  readonly retryAfterMs?: number
  /** Whether a retry is useless even after a short `retryAfterMs`, which the code alone does not tell. */
  readonly isFinal?: boolean
  /** The status of the upstream's response, if the caller may see it. */
  readonly upstreamStatus?: number
  /** The upstream's own error code or type, if the caller may see it. */
  readonly upstreamCode?: string
  /** The upstream's id of the failed request. */
  readonly upstreamRequestId?: string
  /** Whether the upstream does not have this address at all, for any request, or may not have it. Never shown. */
  readonly missingAddress?: 'proved' | 'possible'
  /** Whether a rate limit of the upstream was refused for this request alone, and says nothing of others. Never shown. */
  readonly isOwnLimit?: boolean
  /** Replaces the table's status: an upstream's own 4xx, such as 422, is kept. */
  readonly status?: number
  /** Replaces the table's public code. */
  readonly publicCode?: string
  /** What a program can read in the error, if the caller's format has a place for it (`error.details` of the Messages API). */
  readonly readable?: Readonly<Record<string, unknown>>
  /** Only for the log. */
  readonly cause?: unknown
}

/** The only error class for expected errors. Anything else that is thrown is a bug and is shown as `internal`. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError'
  readonly code: ErrorCode
  readonly details: ErrorDetails

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, { cause: details.cause })
    this.code = code
    this.details = details
  }

  /** The HTTP status, 400 to 504. */
  get status(): number {
    return this.details.status ?? table[this.code].status
  }

  get type(): string {
    return table[this.code].type
  }

  get publicCode(): string | null {
    return this.details.publicCode ?? table[this.code].publicCode
  }

  /** Whether a retry is useless: clients are told not to retry. */
  get isFinal(): boolean {
    const { isFinal = final.has(this.code), retryAfterMs } = this.details
    return isFinal || retryAfterMs === Infinity
  }

  /** Who caused the error. This decides what is retried, what falls back and what is logged as an error. */
  get blame(): 'caller' | 'upstream' | 'operator' {
    return table[this.code].blame
  }

  /** Converts anything thrown into a GatewayError. Only messages written by the gateway are shown. */
  static from(thrown: unknown): GatewayError {
    if (thrown instanceof GatewayError) return thrown
    if (thrown instanceof Error && thrown.name === 'AbortError')
      return new GatewayError('cancelled', 'The caller went away', { cause: thrown })
    // Everything that walks through a request can handle more levels than are accepted. If the stack overflows anyway, the
    // request is still the cause.
    if (isOutOfStack(thrown))
      return new GatewayError('invalid_request', 'The request is nested too deeply', {
        cause: thrown,
      })
    return new GatewayError('internal', 'The gateway failed to process this request', {
      cause: thrown,
    })
  }

  /** The OpenAI error body (OpenAI API reference, ErrorResponse). */
  toJSON(): ErrorBody {
    const { message, type, publicCode, details } = this
    return { error: { message, type, param: details.param ?? null, code: publicCode } }
  }
}

/** Whether the error was thrown because a value has more levels than the stack can hold. */
export function isOutOfStack(thrown: unknown): boolean {
  return thrown instanceof RangeError && /call stack/i.test(thrown.message)
}

/** A caller's mistake in one field. `param` is the field's path. */
export function invalidRequest(message: string, param?: string): GatewayError {
  return new GatewayError('invalid_request', message, param === undefined ? {} : { param })
}

/** The error of a request that lacks a field. `param` is the field's path. */
export function missingParameter(param: string): GatewayError {
  return new GatewayError('missing_parameter', `Missing required parameter: '${param}'`, { param })
}
