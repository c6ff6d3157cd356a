import { describe, expect, it } from 'vitest'
import { formatContext } from '../../../test/support/codec-context.ts'
import { type ErrorCode, errorCodes, GatewayError } from '../../contract/src/core/errors.ts'
import { formats as allFormats } from '../src/formats.ts'

// Those that translate: the operations' own say the canonical form itself.
const formats = allFormats.filter(({ isOwn }) => isOwn !== true)

/** Status, OpenAI's type and code, Anthropic's type, Google's status (error guides of the three APIs). */
type Row = readonly [number, string, string | null, string, string]

const bad = 'invalid_request_error'

const rows: Readonly<Record<ErrorCode, Row>> = {
  invalid_request: [400, bad, null, bad, 'INVALID_ARGUMENT'],
  unsupported_parameter: [400, bad, 'unsupported_parameter', bad, 'INVALID_ARGUMENT'],
  unsupported_value: [400, bad, 'unsupported_value', bad, 'INVALID_ARGUMENT'],
  missing_parameter: [400, bad, 'missing_required_parameter', bad, 'INVALID_ARGUMENT'],
  context_length_exceeded: [400, bad, 'context_length_exceeded', bad, 'INVALID_ARGUMENT'],
  unauthenticated: [401, bad, 'invalid_api_key', 'authentication_error', 'UNAUTHENTICATED'],
  forbidden: [403, 'permission_error', 'access_denied', 'permission_error', 'PERMISSION_DENIED'],
  model_not_found: [404, bad, 'model_not_found', 'not_found_error', 'NOT_FOUND'],
  not_found: [404, bad, 'not_found', 'not_found_error', 'NOT_FOUND'],
  unknown_url: [404, bad, 'unknown_url', 'not_found_error', 'NOT_FOUND'],
  method_not_allowed: [405, bad, 'method_not_allowed', bad, 'UNIMPLEMENTED'],
  conflict: [409, bad, 'conflict', 'conflict_error', 'ABORTED'],
  too_large: [413, bad, 'request_too_large', 'request_too_large', 'INVALID_ARGUMENT'],
  unsupported_media_type: [400, bad, 'unsupported_media_type', bad, 'INVALID_ARGUMENT'],
  range_not_satisfiable: [416, bad, 'range_not_satisfiable', bad, 'OUT_OF_RANGE'],
  upgrade_required: [426, bad, 'upgrade_required', bad, 'INVALID_ARGUMENT'],
  rate_limited: [429, 'requests', 'rate_limit_exceeded', 'rate_limit_error', 'RESOURCE_EXHAUSTED'],
  quota_exceeded: [
    429,
    'insufficient_quota',
    'insufficient_quota',
    'rate_limit_error',
    'RESOURCE_EXHAUSTED',
  ],
  content_blocked: [400, bad, 'content_policy_violation', bad, 'INVALID_ARGUMENT'],
  cancelled: [499, 'api_error', 'cancelled', bad, 'CANCELLED'],
  upstream_rejected: [400, bad, null, bad, 'INVALID_ARGUMENT'],
  upstream_rate_limited: [
    429,
    'requests',
    'rate_limit_exceeded',
    'rate_limit_error',
    'RESOURCE_EXHAUSTED',
  ],
  upstream_refused_us: [
    502,
    'upstream_error',
    'upstream_authentication',
    'api_error',
    'UNAVAILABLE',
  ],
  upstream_garbled: [502, 'upstream_error', 'bad_response', 'api_error', 'UNAVAILABLE'],
  upstream_cut: [502, 'upstream_error', 'stream_interrupted', 'api_error', 'UNAVAILABLE'],
  upstream_unavailable: [
    503,
    'upstream_error',
    'upstream_unavailable',
    'overloaded_error',
    'UNAVAILABLE',
  ],
  upstream_timeout: [
    504,
    'upstream_error',
    'upstream_timeout',
    'timeout_error',
    'DEADLINE_EXCEEDED',
  ],
  not_implemented: [501, bad, 'api_not_implemented', 'api_error', 'UNIMPLEMENTED'],
  overloaded: [503, 'server_error', 'overloaded', 'overloaded_error', 'UNAVAILABLE'],
  internal: [500, 'server_error', null, 'api_error', 'INTERNAL'],
}

const params = { messages: 'stop_sequences', generateContent: 'stop', responses: 'stop' } as const
const details = { param: 'stop', retryAfterMs: 2500 }
const failure = (code: ErrorCode): GatewayError => new GatewayError(code, 'It failed', details)

function googleBody(code: ErrorCode, requestId: string | undefined): object {
  const [status, , publicCode, , word] = rows[code]
  const detail = (type: string, fields: object) => ({
    '@type': `type.googleapis.com/google.rpc.${type}`,
    ...fields,
  })
  return {
    error: {
      code: status,
      message: 'It failed',
      status: word,
      details: [
        ...(publicCode === null
          ? []
          : [detail('ErrorInfo', { reason: publicCode.toUpperCase(), domain: 'sluice' })]),
        detail('BadRequest', { fieldViolations: [{ field: 'stop', description: 'It failed' }] }),
        detail('RetryInfo', { retryDelay: '2.5s' }),
        ...(requestId === undefined ? [] : [detail('RequestInfo', { requestId })]),
      ],
    },
  }
}

/** Anthropic has no place for a path, so the message begins with it. */
const anthropicError = (code: ErrorCode): object => ({
  type: rows[code][3],
  message: `${params.messages}: It failed`,
})

function openaiBody(code: ErrorCode): object {
  const [, type, publicCode] = rows[code]
  return { error: { message: 'It failed', type, param: 'stop', code: publicCode } }
}

/** The body of each format; what is not named speaks OpenAI's. */
const bodies: Readonly<Record<string, (code: ErrorCode) => object>> = {
  messages: (code) => ({ type: 'error', error: anthropicError(code), request_id: 'req_1' }),
  responses: openaiBody,
  generateContent: (code) => googleBody(code, 'req_1'),
}

const family = (id: string): string => {
  if (id.startsWith('messages')) return 'messages'
  return id.startsWith('responses') ? 'responses' : 'generateContent'
}

describe.each(errorCodes.map((code) => [code] as const))('%s', (code) => {
  const [status, type, publicCode] = rows[code]

  it('has its status and OpenAI’s four keys', () => {
    const error = failure(code)
    expect(error.status).toBe(status)
    expect(error.toJSON()).toEqual(openaiBody(code))
    expect(new GatewayError(code, 'It failed').toJSON()).toEqual({
      error: { message: 'It failed', type, param: null, code: publicCode },
    })
  })

  it.each(formats.map((format) => [format.id, format] as const))(
    'in the format %s',
    (id, format) => {
      expect(format.error(failure(code), 'req_1')).toEqual(bodies[family(id)]!(code))
    },
  )
})

const requests: Readonly<Record<string, object>> = {
  messages: { model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'x' }] },
  responses: { model: 'm', input: 'x' },
  streamGenerateContent: { model: 'm', contents: [{ parts: [{ text: 'x' }] }] },
}

function lastOf(id: string, code: ErrorCode, query: string): string {
  const writer = formats.find((format) => format.id === id)!.writer!(
    requests[id],
    formatContext(),
    query,
  )
  return writer.fail(failure(code))
}

const dataOf = (event: string): unknown => JSON.parse(/^data: (.*)$/m.exec(event)![1]!)

describe.each(errorCodes.map((code) => [code] as const))('%s in a stream', (code) => {
  it('ends a Messages stream with an error event', () => {
    const events = lastOf('messages', code, '').split('\n\n').filter(Boolean)
    expect(events).toHaveLength(1)
    expect(events[0]).toMatch(/^event: error\n/)
    expect(dataOf(events[0]!)).toEqual({ type: 'error', error: anthropicError(code) })
  })

  it('ends a Responses stream with response.failed', () => {
    const events = lastOf('responses', code, '').split('\n\n').filter(Boolean)
    expect(events.at(-1)).toMatch(/^event: response\.failed\n/)
    const [, , publicCode] = rows[code]
    const caller = new GatewayError(code, '').blame === 'caller'
    expect(dataOf(events.at(-1)!)).toMatchObject({
      type: 'response.failed',
      response: {
        status: 'failed',
        error: {
          code: publicCode ?? (caller ? 'invalid_prompt' : 'server_error'),
          message: 'It failed',
        },
        incomplete_details: null,
      },
    })
  })

  it('ends a Gemini stream with an error fragment', () => {
    const body = googleBody(code, undefined)
    expect(dataOf(lastOf('streamGenerateContent', code, 'alt=sse'))).toEqual(body)
    expect(JSON.parse(lastOf('streamGenerateContent', code, ''))).toEqual([body])
  })
})

it('the table covers every error code', () => {
  expect(Object.keys(rows).toSorted()).toEqual(errorCodes.toSorted())
})

it('keeps the status of an upstream that rejects a request', () => {
  const error = new GatewayError('upstream_rejected', 'Bad', { status: 422 })
  const [messages, content] = ['messages', 'generateContent'].map((id) =>
    formats.find((format) => format.id === id)!.error(error, 'req_1'),
  )
  expect(messages).toMatchObject({ error: { type: 'invalid_request_error' } })
  expect(content).toMatchObject({ error: { code: 422, status: 'INVALID_ARGUMENT' } })
})
