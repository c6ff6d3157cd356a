// An upstream's error in every client format keeps its status and message, except for what concerns only the gateway.
import { describe, expect, test } from 'vitest'
import { json } from '../../support/fakes/fake-upstream.ts'
import { inFrontOf } from '../../support/gateways/scripted-gateway.ts'

type Maker = 'anthropic' | 'gemini' | 'openai'

interface Failure {
  readonly status: number
  readonly headers?: Record<string, string>
  /** The maker's own words for it. */
  readonly body: Readonly<Record<Maker, object>>
  readonly expected: number
  /** Whether the upstream's message reaches the caller. */
  readonly shown: boolean
}

const said = 'It says so.'

/** One failure as the three makers put it. */
function body(status: number, type: string, word: string): Failure['body'] {
  return {
    anthropic: { type: 'error', error: { type, message: said }, request_id: 'req_up' },
    gemini: { error: { code: status, message: said, status: word } },
    openai: { error: { message: said, type, param: null, code: null } },
  }
}

const invalid = body(400, 'invalid_request_error', 'INVALID_ARGUMENT')
const badKey = (reason: string) => ({
  error: {
    code: 400,
    message: said,
    status: 'INVALID_ARGUMENT',
    details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason }],
  },
})

const failures: Readonly<Record<string, Failure>> = {
  'a bad request': { status: 400, body: invalid, expected: 400, shown: true },
  'an unknown model': {
    status: 404,
    body: {
      ...body(404, 'not_found_error', 'NOT_FOUND'),
      openai: { error: { message: said, type: 'x', param: null, code: 'model_not_found' } },
    },
    expected: 404,
    shown: true,
  },
  'too large': {
    status: 413,
    body: body(413, 'request_too_large', 'INVALID_ARGUMENT'),
    expected: 413,
    shown: true,
  },
  unprocessable: { status: 422, body: invalid, expected: 422, shown: true },
  'a rate limit': {
    status: 429,
    headers: { 'retry-after': '7' },
    body: body(429, 'rate_limit_error', 'RESOURCE_EXHAUSTED'),
    expected: 429,
    shown: true,
  },
  'a broken server': {
    status: 500,
    body: body(500, 'api_error', 'INTERNAL'),
    expected: 503,
    shown: true,
  },
  overloaded: {
    status: 529,
    body: body(529, 'overloaded_error', 'UNAVAILABLE'),
    expected: 503,
    shown: true,
  },
  'a refused key': {
    status: 401,
    body: body(401, 'authentication_error', 'UNAUTHENTICATED'),
    expected: 502,
    shown: false,
  },
  'no permission': {
    status: 403,
    body: body(403, 'permission_error', 'PERMISSION_DENIED'),
    expected: 502,
    shown: false,
  },
}

interface Client {
  readonly path: (model: string) => string
  readonly body: (model: string) => object
  /** The message of an error body; throws where it has not the format's form. */
  readonly message: (body: unknown, status: number, upstreamStatus: number) => unknown
}

const openaiForm: Client['message'] = (form) => {
  const { error } = form as { error: Record<string, unknown> }
  expect(Object.keys(error).toSorted()).toEqual(['code', 'message', 'param', 'type'])
  return error['message']
}

const messagesTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  404: 'not_found_error',
  413: 'request_too_large',
  422: 'invalid_request_error',
  429: 'rate_limit_error',
  502: 'api_error',
  503: 'overloaded_error',
}

const clients: Readonly<Record<string, Client>> = {
  chat: {
    path: () => '/v1/chat/completions',
    body: (model) => ({ model, messages: [{ role: 'user', content: 'Hi' }] }),
    message: openaiForm,
  },
  responses: {
    path: () => '/v1/responses',
    body: (model) => ({ model, input: 'Hi' }),
    message: openaiForm,
  },
  messages: {
    path: () => '/v1/messages',
    body: (model) => ({ model, max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] }),
    message: (form, status, upstreamStatus) => {
      const { message, ...error } = (form as { error: { message: string } }).error
      const type = upstreamStatus === 500 ? 'api_error' : messagesTypes[status]
      expect(form).toEqual({
        type: 'error',
        error: { type, message },
        request_id: expect.stringMatching(/^req_/),
      })
      expect(error).toEqual({ type })
      return message
    },
  },
  generateContent: {
    path: (model) => `/v1beta/models/${encodeURIComponent(model)}:generateContent`,
    body: () => ({ contents: [{ parts: [{ text: 'Hi' }] }] }),
    message: (form, status) => {
      const { error } = form as { error: Record<string, unknown> }
      expect(error['code']).toBe(status)
      expect(error['status']).toMatch(/^[A-Z_]+$/)
      return error['message']
    },
  },
}

describe.each(['anthropic', 'gemini', 'openai'] as const)(
  'errors of an upstream of type %s',
  (maker) => {
    test.each(Object.entries(failures))('%s', async (_, failure) => {
      await using stage = await inFrontOf(maker, (seen, response) => {
        // Like most servers that speak OpenAI's chat, this one has no Responses.
        if (seen.path.endsWith('/responses')) return json(response, {}, { status: 404 })
        return json(response, failure.body[maker], {
          status: failure.status,
          headers: { 'request-id': 'req_up', ...failure.headers },
        })
      })
      for (const stream of [false, true])
        for (const { path, body: bodyOf, message } of Object.values(clients)) {
          await stage.gateway.configure(configuration(maker, stage.upstream.url))
          const asked = bodyOf(stage.model)
          const where = path(stage.model)
          const answer = await stage.gateway.post(
            stream ? where.replace(':generate', ':streamGenerate') : where,
            'contents' in asked ? asked : { ...asked, stream },
          )
          expect(answer.status).toBe(failure.expected)
          expect(answer.headers.get('content-type')).toContain('application/json')
          expect(answer.headers.get('x-upstream-status')).toBe(String(failure.status))
          expect(answer.headers.get('x-upstream-request-id')).toBe('req_up')
          // SDKs repeat every 5xx, and the gateway's key would be refused again.
          expect(answer.headers.get('x-should-retry')).toBe(
            failure.expected === 502 ? 'false' : null,
          )
          expect(answer.headers.get('retry-after')).toBe(failure.headers?.['retry-after'] ?? null)
          const form: unknown = await answer.json()
          const body = Array.isArray(form) ? form[0] : form
          const text = message(body, failure.expected, failure.status)
          if (failure.shown) expect(text).toContain(said)
          else expect(text).not.toContain(said)
        }
    })
  },
)

/** A fresh name for the provider's key each time, as a refused key rests. */
let keys = 0
function configuration(type: Maker, baseUrl: string) {
  keys += 1
  return {
    providers: { up: { type, baseUrl, key: `sk-upstream-${keys}` } },
    defaults: { retries: { attempts: 1 } },
  }
}

test.each(['API_KEY_INVALID', 'API_KEY_EXPIRED'])(
  'Google’s %s with status 400 is an upstream authentication error',
  async (reason) => {
    await using stage = await inFrontOf('gemini', (_seen, response) =>
      json(response, badKey(reason), { status: 400 }),
    )
    const { path, body: bodyOf } = clients['chat']!
    const answer = await stage.gateway.post(path(stage.model), bodyOf(stage.model))
    expect(answer.status).toBe(502)
    expect(await answer.json()).toMatchObject({ error: { code: 'upstream_authentication' } })
  },
)
