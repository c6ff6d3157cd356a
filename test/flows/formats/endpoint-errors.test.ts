// The error format of each endpoint: its own, or that of the API whose client sent the request.
import { describe, expect, test } from 'vitest'
import { rawClient } from '../../support/clients/raw-client.ts'
import { fakeUpstream } from '../../support/fakes/fake-upstream.ts'
import { ask, at, error, good } from '../../support/routes.ts'
import { adminKey, start, testKey, until } from '../../support/start.ts'

type Headers = Record<string, string>
interface Told {
  readonly error: Readonly<Record<string, unknown>>
}

const contractKeys = ['code', 'message', 'param', 'type']
const isContracts = ({ error }: Told) =>
  Object.keys(error).toSorted().join() === contractKeys.join() && typeof error['code'] !== 'number'
const isGoogles = ({ error }: Told) =>
  typeof error['code'] === 'number' && typeof error['status'] === 'string'

const asBearer: Headers = { authorization: `Bearer ${testKey}` }
const unknownBearer: Headers = { authorization: 'Bearer sk-unknown' }
const googles: readonly (readonly [string, Headers, string])[] = [
  ['x-goog-api-key', { 'x-goog-api-key': testKey }, ''],
  ['a wrong x-goog-api-key', { 'x-goog-api-key': 'wrong' }, ''],
  ['key=', {}, `key=${testKey}`],
  ['x-goog-api-client', { 'x-goog-api-client': 'gl-node/24', ...asBearer }, ''],
  ['both keys', { 'x-goog-api-key': testKey, ...asBearer }, ''],
  ['key= and a bearer token', { ...asBearer }, `key=${testKey}`],
]
const others: readonly (readonly [string, Headers])[] = [
  ['a bearer token', asBearer],
  ['an unknown bearer token', unknownBearer],
  ['x-api-key', { 'x-api-key': testKey }],
  ['nothing', {}],
]

const wrong: readonly (readonly [string, string])[] = ['v1beta', 'v1alpha'].flatMap(
  (version): (readonly [string, string])[] => [
    ['GET', `/${version}/models?pageSize=0`],
    ['GET', `/${version}/models?pageToken=zzz`],
    ['GET', `/${version}/models?operation=nope`],
    ['GET', `/${version}/models/nope`],
    ['GET', `/${version}/nope`],
    ['POST', `/${version}/nope`],
    ['PUT', `/${version}/models`],
    ['POST', `/${version}/models/builtin-chat:nope`],
  ],
)

describe('errors below /v1beta and /v1alpha are in the format of the client', () => {
  test.each(wrong)('%s %s', async (method, path) => {
    await using gateway = await start()
    for (const [name, headers, query] of googles) {
      const full = query === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`
      const answer = await gateway.request(full, { method, key: null, headers })
      const body = (await answer.json()) as Told
      expect(isGoogles(body), `${name}: ${JSON.stringify(body)}`).toBe(true)
    }
    for (const [name, headers] of others) {
      const answer = await gateway.request(path, { method, key: null, headers })
      const body = (await answer.json()) as Told
      expect(isContracts(body), `${name}: ${JSON.stringify(body)}`).toBe(true)
    }
  })

  test('a model method answers every client in Google’s format', async () => {
    await using gateway = await start()
    for (const [name, headers] of others) {
      const path = '/v1beta/models/nope:generateContent'
      const answer = await gateway.post(path, { contents: [] }, { key: null, headers })
      expect(isGoogles((await answer.json()) as Told), name).toBe(true)
    }
  })
})

test.each([
  ['/admin/v1/keys', 403],
  ['/admin/v1/keys?limit=0', 400],
  ['/admin/v1/nope', 404],
  ['/metrics', 403],
  ['/v1/responses/resp_nope', 404],
])('%s answers in its own format for every client', async (path, status) => {
  await using gateway = await start()
  const key = status === 400 ? adminKey : testKey
  for (const headers of [
    { 'x-goog-api-key': key },
    { 'x-goog-api-client': 'x', 'x-api-key': key },
    { 'anthropic-version': '2026-10-21', 'x-api-key': key },
  ]) {
    const answer = await gateway.request(path, {
      key: null,
      headers: headers as unknown as Headers,
    })
    expect(answer.status).toBe(status)
    const body = (await answer.json()) as Told
    expect(isContracts(body), JSON.stringify(body)).toBe(true)
  }
})

test('only OpenAI endpoints have OpenAI’s headers', async () => {
  await using only = await fakeUpstream(good)
  await using gateway = await start(at({ only }, { builtin: { enabled: 'always' } }))
  const body = { model: 'only/m', ...ask, max_tokens: 9 }
  for (const asked of [body, { ...body, model: 'builtin-chat', stream: true }]) {
    const answer = await gateway.post('/v1/chat/completions', asked)
    expect(answer.headers.get('openai-version')).toBe('2020-10-01')
    expect(answer.headers.get('openai-processing-ms')).toMatch(/^\d+$/)
    await answer.text()
  }
  const messages = await gateway.post('/v1/messages', body)
  for (const name of ['openai-version', 'openai-processing-ms'])
    expect(messages.headers.get(name)).toBeNull()
  await messages.text()
})

describe('an upstream failure', () => {
  test.each([
    [500, {}, 'api_error'],
    [502, {}, 'api_error'],
    [503, {}, 'overloaded_error'],
    [529, {}, 'overloaded_error'],
    [500, { type: 'overloaded_error' }, 'overloaded_error'],
  ])('with %i %o becomes an Anthropic %s', async (status, further, type) => {
    await using only = await fakeUpstream(error(status, further))
    await using gateway = await start(at({ only }, { defaults: { retries: { attempts: 1 } } }))
    const answer = await gateway.post('/v1/messages', { model: 'only/m', max_tokens: 9, ...ask })
    expect(await answer.json()).toMatchObject({ error: { type } })
  })

  test.each([
    [401, {}, 'false'],
    [402, {}, 'false'],
    [403, {}, 'false'],
    [429, { code: 'insufficient_quota' }, 'false'],
    [429, {}, null],
    [500, {}, null],
  ])('with %i %o sets x-should-retry to %s', async (status, further, retry) => {
    await using only = await fakeUpstream(error(status, further))
    await using gateway = await start(at({ only }, { defaults: { retries: { attempts: 1 } } }))
    for (const path of ['/v1/chat/completions', '/v1/messages']) {
      const answer = await gateway.post(path, { model: 'only/m', max_tokens: 9, ...ask })
      expect(answer.headers.get('x-should-retry')).toBe(retry)
      await answer.text()
    }
  })
})

test('an operation that is not implemented answers 501 with x-should-retry: false', async () => {
  await using gateway = await start()
  const answer = await gateway.request('/v1/files')
  expect(answer.status).toBe(501)
  expect(answer.headers.get('x-should-retry')).toBe('false')
})

test('an HTTP/2 connection preface is answered with 505 over HTTP/1.1', async () => {
  await using gateway = await start()
  using client = rawClient(gateway.url)
  await client.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u0004\0\0\0\0\0')
  await until(() => client.isClosed())
  expect(client.text()).toMatch(/^HTTP\/1\.1 505 /)
  expect(client.text()).toContain('HTTP/2 is not served here')
})

describe('a list of models', () => {
  test('for one operation lists only models with it, in every format', async () => {
    await using gateway = await start()
    const listed = async (path: string, headers: Headers) => {
      const answer = await gateway.request(path, { key: null, headers })
      expect(answer.status).toBe(200)
      return JSON.stringify(await answer.json())
    }
    for (const [path, headers] of [
      ['/v1/models', asBearer],
      ['/v1/models', { ...asBearer, 'anthropic-version': '2026-10-21' }],
      ['/v1/models', { 'x-goog-api-key': testKey }],
      ['/v1beta/models', asBearer],
      ['/v1alpha/models', asBearer],
      ['/v1beta/openai/models', asBearer],
      ['/openai/v1/models', asBearer],
    ] as const) {
      const chat = await listed(`${path}?operation=chat&limit=1000`, headers)
      expect(chat).toContain('builtin-chat')
      expect(chat).not.toContain('builtin-embed')
      const embed = await listed(`${path}?operation=embed&limit=1000`, headers)
      expect(embed).toContain('builtin-embed')
      expect(embed).not.toContain('builtin-chat')
      const all = await listed(`${path}?limit=1000`, headers)
      for (const name of ['builtin-chat', 'builtin-embed']) expect(all).toContain(name)
    }
  })

  test.each(['nope', '', 'Chat', 'chat&operation=embed'])(
    'for the operation %j answers 400',
    async (operation) => {
      await using gateway = await start()
      const answer = await gateway.request(`/v1/models?operation=${operation}`)
      expect(answer.status).toBe(400)
      expect(await answer.json()).toMatchObject({ error: { param: 'operation' } })
    },
  )
})

describe('the OpenAPI document', () => {
  interface Document {
    readonly paths: Readonly<
      Record<string, Record<string, { responses: Record<string, object>; parameters?: object[] }>>
    >
    readonly components: {
      readonly schemas: Record<string, { type?: string }>
      readonly headers: Record<string, { schema: object }>
      readonly securitySchemes: object
    }
  }
  async function documented(): Promise<Document> {
    await using gateway = await start()
    return (await (await gateway.request('/openapi.json')).json()) as Document
  }

  test('describes responses, headers and parameters of the gateway', async () => {
    const { paths, components } = await documented()
    expect(paths['/metrics']?.['get']?.responses).toHaveProperty('403')
    expect(components.headers['x-sluice-attempts']).toMatchObject({ schema: { minimum: 0 } })
    expect(components.schemas['StreamGenerateContentReply']).toMatchObject({ type: 'array' })
    expect(components.securitySchemes).toMatchObject({ azureApiKey: { name: 'api-key' } })
    expect(paths['/v1/models']?.['get']?.parameters).toMatchObject([{ name: 'operation' }])
    const path = '/v1beta/models/{model}:streamGenerateContent'
    expect(paths[path]?.['post']?.parameters).toContainEqual(
      expect.objectContaining({ name: 'alt', in: 'query' }),
    )
  })

  test('shares one schema between paths with the same body', async () => {
    const { paths, components } = await documented()
    for (const path of ['/v1beta/openai', '/v1alpha/openai', '/openai/v1'])
      expect(paths[`${path}/chat/completions`]?.['post']).toMatchObject({
        requestBody: {
          content: { 'application/json': { schema: { $ref: '#/components/schemas/ChatRequest' } } },
        },
      })
    const names = Object.keys(components.schemas).filter((name) => name.startsWith('Chat'))
    expect(names.filter((name) => name.endsWith('Request'))).toHaveLength(2)
  })
})
