import fc from 'fast-check'
import type { TSchema } from 'typebox'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { formData } from '../../../../test/support/formats/form-data.ts'
import {
  broken,
  type Schema,
  valueOf,
} from '../../../../test/support/generated/arbitrary-request.ts'
import { hintsFor, uploads } from '../../../../test/support/generated/request-hints.ts'
import { rightBodies } from '../../../../test/support/generated/valid-bodies.ts'
import { endsWithin } from '../../../../test/support/property-limits.ts'
import { type Started, start } from '../../../../test/support/start.ts'
import { type OperationName, operations } from '../../../contract/src/operations/index.ts'
import { validate } from '../../../contract/src/operations/validate.ts'
import { formats } from '../../src/formats.ts'

// Streams of the built-in engine take half a second each, which is most of the time of thousands of requests.
vi.mock('../../../gateway/src/attempt/pace.ts', () => ({
  createPace: () => () => undefined,
}))

/**
 * Thousands of requests, right and wrong, at every address on a real gateway. Whatever comes, the answer costs this process
 * less than two seconds of processor time; a failure is one of the caller's and says so in the error body of its format.
 */
const workedMsMax = 2_000
const seed = Number(process.env['FUZZ_SEED'] ?? 20_261)
const more = Number(process.env['FUZZ_FACTOR'] ?? 1)

let gateway: Started
const counts = new Map<string, number>()
beforeAll(async () => {
  gateway = await start()
})
afterAll(async () => {
  const statuses = [...counts.keys()].toSorted().map((status) => `${status}: ${counts.get(status)}`)
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
  console.log(`${all} requests (seed ${seed}); by status ${statuses.join(', ')}`)
  await gateway[Symbol.asyncDispose]()
})

const modelOf: Readonly<Partial<Record<OperationName, string>>> = {
  chat: 'builtin-chat',
  complete: 'builtin-chat',
  embed: 'builtin-embed',
  rerank: 'builtin-rerank',
  moderate: 'builtin-moderate',
  transcribe: 'builtin-transcribe',
  translate: 'builtin-transcribe',
  speak: 'builtin-speech',
  createImage: 'builtin-image',
  editImage: 'builtin-image',
  createVideo: 'builtin-video',
}

/** Whether a mistyped verb is Gemini's or nobody's is for the address to say. */
type ErrorForm = 'openai' | 'anthropic' | 'gemini' | 'any'

function expectError(body: unknown, form: ErrorForm): void {
  const { error } = body as { error: Record<string, unknown> }
  if (form === 'anthropic') {
    expect(body).toMatchObject({ type: 'error', error: { type: expect.any(String) } })
  } else if (form === 'gemini') {
    expect(error).toMatchObject({
      code: expect.any(Number),
      status: expect.stringMatching(/^[A-Z_]+$/),
    })
  } else if (form === 'openai') {
    expect(Object.keys(body as object)).toEqual(['error'])
    expect(Object.keys(error).toSorted()).toEqual(['code', 'message', 'param', 'type'])
    for (const field of ['param', 'code'])
      expect(error[field] === null || error[field] !== '').toBe(true)
  }
  expect(error['message']).toMatch(/./s)
}

interface Sent {
  readonly path: string
  readonly method?: string
  readonly body?: string | Uint8Array | FormData
  readonly contentType?: string
}

/** Sends and checks; returns what a good answer held. */
async function sent(request: Sent, form: ErrorForm): Promise<string> {
  const { path, method = 'POST', body, contentType } = request
  const before = process.cpuUsage()
  const response = await gateway.request(path, {
    method,
    ...(body !== undefined && { body }),
    headers: contentType === undefined ? {} : { 'content-type': contentType },
    signal: AbortSignal.timeout(120_000),
  })
  const text = await response.text()
  const { user, system } = process.cpuUsage(before)
  const { status } = response
  counts.set(String(status), (counts.get(String(status)) ?? 0) + 1)
  if (status >= 500 && !text.includes('"api_not_implemented"')) throw new Error(`${status} ${text}`)
  expect((user + system) / 1_000).toBeLessThan(workedMsMax)
  if (status >= 400) {
    expect(response.headers.get('content-type')).toMatch(/^application\/json/)
    expectError(JSON.parse(text), form)
    return ''
  }
  expect(text).not.toMatch(/"server_error"|"api_error"|"INTERNAL"/)
  return text
}

/** A job goes on after its call, and nobody wants it. */
async function dropJob(operation: OperationName, answer: string): Promise<void> {
  if (operation !== 'createVideo' || answer === '') return
  const { id } = JSON.parse(answer) as { id: string }
  await sent({ path: `/v1/videos/${id}`, method: 'DELETE' }, 'openai')
}

function formOf(path: string): ErrorForm {
  if (path.startsWith('/v1/messages')) return 'anthropic'
  return path.includes(':') ? 'gemini' : 'openai'
}

interface Target {
  readonly path: string
  readonly operation: OperationName
  readonly schema: Schema
  /** What a whole answer is. */
  readonly reply: TSchema
  /** What a piece of a stream is, where it is said. */
  readonly event?: TSchema
}

const jsonTargets: readonly Target[] = [
  ...(Object.keys(modelOf) as OperationName[]).flatMap((operation) =>
    operations[operation].body === 'multipart'
      ? []
      : operations[operation].paths.map((path) => ({
          path: path.replace('{model}', 'builtin-embed'),
          operation,
          schema: operations[operation].request as Schema,
          reply: operations[operation].reply,
          event: operations[operation].event,
        })),
  ),
  ...formats.flatMap(({ paths, operation, request, reply, isOwn }) =>
    paths.slice(0, isOwn === true ? 0 : 1).map((path) => ({
      path: path.replace('{model}', modelOf[operation] ?? ''),
      operation,
      schema: request as Schema,
      reply,
    })),
  ),
]

/** Throws where an answer is not what its address says it answers. */
function checkAnswer(answer: string, { reply, event, operation }: Target): void {
  // Sound has no schema.
  if (operation === 'speak' || answer === '') return
  if (answer.startsWith('{')) validate(reply, JSON.parse(answer))
  for (const line of event ? answer.split('\n') : [])
    if (event && line.startsWith('data: {')) validate(event, JSON.parse(line.slice(6)))
}

/** A body as text, now and then no JSON at all. */
function written(
  body: fc.Arbitrary<unknown>,
): fc.Arbitrary<{ body: string | Uint8Array; contentType: string }> {
  const json = body.map((value) => JSON.stringify(value) ?? '')
  const type = fc.constantFrom('application/json', 'application/json; charset=utf-8')
  const wrongType = fc.constantFrom(
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'multipart/form-data',
    'nonsense',
    'application/xml',
  )
  return fc.oneof(
    { weight: 30, arbitrary: fc.record({ body: json, contentType: type }) },
    {
      weight: 1,
      arbitrary: fc.record({
        body: fc.tuple(json, fc.nat()).map(([text, at]) => text.slice(0, at % (text.length + 1))),
        contentType: type,
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        body: fc.uint8Array({ minLength: 1, maxLength: 300 }),
        contentType: type,
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ body: json.filter((text) => text !== ''), contentType: wrongType }),
    },
  )
}

function rightBody(path: string): fc.Arbitrary<unknown> {
  const verb = path
    .split(':')[1]
    ?.replace(/^streamG/, 'g')
    .replace('countTokens', 'generateContent')
  const address =
    verb ??
    path.replace('/v2/', '/v1/').replace(/\/engines\/[^/]+|\/(?:count|input)_tokens|\/compact/, '')
  const found = rightBodies[address]
  if (!found) throw new Error(`No right body for ${path}`)
  return found
}

/** Two fields of an object. */
function oneOf(value: unknown): object {
  return Object.fromEntries(Object.entries(value as object).slice(-2))
}

const settings = (numRuns: number): fc.Parameters<unknown> => ({
  numRuns: numRuns * more,
  seed,
  endOnFailure: true,
  ...endsWithin(580_000),
})

/** Pictures and clips cost a hundred times what a text does. */
const heavy: ReadonlySet<OperationName> = new Set([
  'createImage',
  'editImage',
  'createVideo',
  'speak',
])

test.each(jsonTargets)(
  'property: $path answers any JSON body in the contract’s format',
  async (target) => {
    const { path, operation, schema } = target
    const good = rightBody(path)
    const odd = valueOf(schema, hintsFor(modelOf[operation] ?? ''))
    const bodies = written(
      fc.oneof(
        { weight: 3, arbitrary: good },
        // A right body with some field of any allowed value.
        {
          weight: 2,
          arbitrary: fc
            .tuple(odd, good)
            .map(([some, base]) => ({ ...oneOf(some), ...(base as object) })),
        },
        { weight: 1, arbitrary: odd },
        { weight: 4, arbitrary: broken(good) },
        { weight: 1, arbitrary: broken(odd) },
      ),
    )
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        const answer = await sent({ path, ...body }, formOf(path))
        checkAnswer(answer, target)
        await dropJob(operation, answer)
      }),
      settings(heavy.has(operation) ? 80 : 200),
    )
  },
  600_000,
)

const formTargets = (['transcribe', 'translate', 'editImage', 'createVideo'] as const).map(
  (operation) => ({
    path: operations[operation].paths[0] ?? '',
    operation,
    schema: operations[operation].request as Schema,
  }),
)

test.each(formTargets)(
  'property: $path answers any form in the contract’s format',
  async ({ path, operation, schema }) => {
    const hints = {
      ...hintsFor(modelOf[operation] ?? ''),
      file: uploads,
      image: uploads,
      mask: uploads,
      input_reference: uploads,
    }
    const good = valueOf(schema, hints)
    const bodies = fc.oneof({ weight: 3, arbitrary: good }, { weight: 2, arbitrary: broken(good) })
    await fc.assert(
      fc.asyncProperty(
        bodies,
        fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, fc.nat()),
        async (body, cut) => {
          const whole = new Response(formData(body))
          const bytes = new Uint8Array(await whole.arrayBuffer())
          const answer = await sent(
            {
              path,
              body: cut === undefined ? bytes : bytes.subarray(0, cut % (bytes.length + 1)),
              contentType: whole.headers.get('content-type') ?? '',
            },
            'openai',
          )
          await dropJob(operation, answer)
        },
      ),
      settings(operation === 'transcribe' || operation === 'translate' ? 150 : 60),
    )
  },
  600_000,
)

test('property: any path, id and query is answered in the contract’s format', async () => {
  const piece = fc.oneof(
    fc.constantFrom(
      'video_1',
      'resp_1',
      '%00',
      '%zz',
      '..',
      '%2e%2e%2f',
      'a'.repeat(2_000),
      '%F0%9F',
      'models',
    ),
    fc.string({ maxLength: 12 }).map(encodeURIComponent),
  )
  const path = fc
    .tuple(
      fc.constantFrom(
        '/v1/videos/',
        '/v1/models/',
        '/v1beta/models/',
        '/v1/responses/',
        '/images/',
        '/v1/engines/',
        '/v1/',
        '/',
      ),
      piece,
      fc.constantFrom(
        '',
        '/content',
        '/input_items',
        '/cancel',
        '/embeddings',
        ':generateContent',
        ':nothing',
        '/',
      ),
    )
    .map((parts) => parts.join(''))
  const query = fc
    .dictionary(
      fc.constantFrom(
        'limit',
        'after',
        'order',
        'pageSize',
        'pageToken',
        'variant',
        'key',
        'alt',
        'after_id',
        '__proto__',
      ),
      fc.oneof(
        fc.constantFrom('0', '-1', '1e9', 'NaN', 'asc', 'video', 'ZnJvbTox', ''),
        fc.string({ maxLength: 8 }),
      ),
      { maxKeys: 3 },
    )
    .map((fields) => new URLSearchParams(fields).toString())
  const lists = fc.constantFrom(
    '/v1/videos',
    '/v1/models',
    '/v1beta/models',
    '/v1beta/openai/models',
  )
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('GET', 'GET', 'POST', 'DELETE', 'PUT', 'OPTIONS'),
      fc.oneof(path, lists),
      query,
      async (method, address, fields) => {
        const isOpenAi = method !== 'POST' && !address.startsWith('/v1beta')
        await sent({ path: `${address}?${fields}`, method }, isOpenAi ? 'openai' : 'any')
      },
    ),
    settings(400),
  )
}, 600_000)

test('no such request was a failure of the gateway', () => {
  const failed = gateway.logged.filter(
    ({ level, fields }) => level !== 'info' && fields['code'] !== 'api_not_implemented',
  )
  expect(failed).toEqual([])
  expect(Object.keys({})).toEqual([])
  expect('polluted' in {}).toBe(false)
})
