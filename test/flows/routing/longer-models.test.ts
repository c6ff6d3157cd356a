// Prompts that do not fit the context of a route's targets go to its longer models.
import { describe, expect, test } from 'vitest'
import { asked, granted } from '../../support/administrate.ts'
import { answering, chatFaces, postAs } from '../../support/clients/four-formats.ts'
import { type Answering, fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { error, type Routes } from '../../support/routes.ts'
import { start } from '../../support/start.ts'

/** In words of several providers. */
const tooLong: Readonly<Record<string, Answering>> = {
  'a code': error(400, { code: 'context_length_exceeded' }),
  'a sentence': error(400, { message: 'prompt is too long: 9000 tokens > 8000 maximum' }),
  'another status': error(413, { message: 'This exceeds the context window of the model' }),
}

async function three(own: Answering = answering.openai) {
  await using opened = new AsyncDisposableStack()
  const short = opened.use(await fakeUpstream(own))
  const spare = opened.use(await fakeUpstream(answering.openai))
  const long = opened.use(await fakeUpstream(answering.openai))
  const moved = opened.move()
  const provider = (baseUrl: string, inputTokenLimit?: number) => ({
    type: 'openai' as const,
    baseUrl,
    key: 'k',
    models: [{ id: 'm', ...(inputTokenLimit !== undefined && { inputTokenLimit }) }],
  })
  return {
    short,
    spare,
    long,
    seen: () => [short.seen.length, spare.seen.length, long.seen.length],
    routes: (
      limits: { readonly short?: number; readonly spare?: number; readonly long?: number } = {},
      further: Routes = {},
    ): Routes => ({
      providers: {
        short: provider(short.url, limits.short),
        spare: provider(spare.url, limits.spare),
        long: provider(long.url, limits.long),
      },
      models: { main: { targets: ['short/m'], longer: ['long/m'] } },
      defaults: { retries: { attempts: 1 } },
      ...further,
    }),
    [Symbol.asyncDispose]: () => moved[Symbol.asyncDispose](),
  }
}

const text = 'word '.repeat(1000)

describe.each(chatFaces)('asked as %s', (face) => {
  test.each([false, true])('by a known limit, streamed: %s', async (stream) => {
    await using at = await three()
    await using gateway = await start(at.routes({ short: 500 }))
    const fits = await postAs(gateway, face, { model: 'main', stream })
    expect(fits.status, await fits.text()).toBe(200)
    expect(fits.headers.get('x-sluice-provider')).toBe('short')
    const long = await postAs(gateway, face, { model: 'main', text, stream })
    expect(long.status, await long.text()).toBe(200)
    expect(long.headers.get('x-sluice-provider')).toBe('long')
    expect(long.headers.get('x-sluice-attempts')).toBe('1')
  })

  test.each([false, true])('by a refusal before any content, streamed: %s', async (stream) => {
    await using at = await three(tooLong['a code'])
    await using gateway = await start(at.routes())
    const response = await postAs(gateway, face, { model: 'main', stream })
    const told = await response.text()
    expect(response.status, told).toBe(200)
    expect(told).toContain('Hello')
    expect(response.headers.get('x-sluice-provider')).toBe('long')
  })
})

test.each(Object.keys(tooLong))('a refusal by %s leads to the longer model', async (name) => {
  await using at = await three(tooLong[name])
  await using gateway = await start(at.routes())
  const response = await postAs(gateway, 'chat', { model: 'main' })
  expect(response.status, await response.text()).toBe(200)
  expect(at.seen()).toEqual([1, 0, 1])
})

test('other refusals do not, and without `longer` none does', async () => {
  await using at = await three(error(400, { message: 'messages: no' }))
  await using gateway = await start(at.routes())
  expect((await postAs(gateway, 'chat', { model: 'main' })).status).toBe(400)
  at.short.answer(tooLong['a code']!)
  expect((await postAs(gateway, 'chat', { model: 'short/m' })).status).toBe(400)
  expect(at.seen()).toEqual([2, 0, 0])
})

test('if the longer model refuses too, its refusal is told, and the next one is asked before', async () => {
  await using at = await three(tooLong['a code'])
  at.long.answer(tooLong['a code']!)
  const models = { main: { targets: ['short/m'], longer: ['long/m', 'spare/m'] } }
  await using gateway = await start(at.routes({}, { models }))
  const response = await postAs(gateway, 'chat', { model: 'main' })
  expect(response.status).toBe(200)
  expect(at.seen()).toEqual([1, 1, 1])
  at.spare.answer(tooLong['a code']!)
  const refused = await postAs(gateway, 'chat', { model: 'main' })
  expect(refused.status).toBe(400)
  expect(await refused.json()).toMatchObject({ error: { code: 'context_length_exceeded' } })
})

test('at the bound: a prompt as long as the limit fits', async () => {
  await using at = await three()
  const request = { model: 'main', messages: [{ role: 'user', content: text }] }
  const tokens = Math.ceil(JSON.stringify(request).length / 4)
  await using gateway = await start(at.routes({ short: tokens }))
  await (await gateway.post('/v1/chat/completions', request)).text()
  expect(at.seen()).toEqual([1, 0, 0])
  await gateway.configure(at.routes({ short: tokens - 1 }))
  await (await gateway.post('/v1/chat/completions', request)).text()
  expect(at.seen()).toEqual([1, 0, 1])
})

test('targets that hold the prompt serve before longer models', async () => {
  await using at = await three()
  const models = { main: { targets: ['short/m', 'spare/m'], longer: ['long/m'] } }
  await using gateway = await start(at.routes({ short: 500, spare: 5000 }, { models }))
  for (let count = 0; count < 5; count += 1)
    await (await postAs(gateway, 'chat', { model: 'main', text })).text()
  expect(at.seen()).toEqual([0, 5, 0])
})

test('many short inputs of embeddings are not one long prompt', async () => {
  const embeddings: Answering = (seen, response) =>
    json(response, {
      object: 'list',
      model: 'm',
      data: (seen.body['input'] as readonly string[]).map((_, index) => ({
        object: 'embedding',
        index,
        embedding: [0.5],
      })),
      usage: { prompt_tokens: 1, total_tokens: 1 },
    })
  await using at = await three(embeddings)
  await using gateway = await start(at.routes({ short: 500 }))
  const input = Array.from({ length: 100 }, () => 'word '.repeat(20))
  const response = await gateway.post('/v1/embeddings', { model: 'main', input })
  expect(response.status, await response.text()).toBe(200)
  expect(at.seen()).toEqual([1, 0, 0])
})

test('where nothing is long enough, the target decides', async () => {
  await using at = await three()
  await using gateway = await start(at.routes({ short: 500, long: 600 }))
  expect((await postAs(gateway, 'chat', { model: 'main', text })).status).toBe(200)
  expect(at.seen()).toEqual([1, 0, 0])
})

test('a key is sent only to longer models that it may use', async () => {
  await using at = await three()
  await using gateway = await start(at.routes({ short: 500 }))
  const keyFor = async (models: readonly string[]) =>
    (await granted(gateway, 'POST /admin/v1/keys', { name: 'k', models })).secret
  const both = await keyFor(['main', 'long/m'])
  await (await postAs(gateway, 'chat', { model: 'main', text, key: both })).text()
  expect(at.seen()).toEqual([0, 0, 1])
  const one = await keyFor(['main'])
  await (await postAs(gateway, 'chat', { model: 'main', text, key: one })).text()
  expect(at.seen()).toEqual([1, 0, 1])
  at.short.answer(tooLong['a code']!)
  expect((await postAs(gateway, 'chat', { model: 'main', key: one })).status).toBe(400)
  expect((await postAs(gateway, 'chat', { model: 'main', key: both })).status).toBe(200)
})

test.each([
  [1000, 429],
  [100_000, 200],
])(
  'a budget of %i millionths of a dollar reserves for the longer model',
  async (limitMicroUsd, status) => {
    await using at = await three(tooLong['a code'])
    await using gateway = await start(
      at.routes(
        {},
        { prices: { 'short/*': { input: 0, output: 0.1 }, 'long/*': { input: 0, output: 100 } } },
      ),
    )
    const { secret: key } = await granted(gateway, 'POST /admin/v1/keys', {
      name: 'k',
      budgets: [{ id: 'b', window: 'day', limitMicroUsd }],
    })
    const further = { max_tokens: 100 }
    const response = await postAs(gateway, 'chat', { model: 'main', key, further })
    expect(response.status, await response.text()).toBe(status)
    expect(at.long.seen.length).toBe(status === 200 ? 1 : 0)
  },
)

test('longer models may be routes, and wildcards fill them', async () => {
  await using at = await three(tooLong['a code'])
  const models = {
    big: { targets: ['long/m'] },
    main: { targets: ['short/m'], longer: ['big'] },
    'wild/*': { targets: ['short/*'], longer: ['long/*'] },
  }
  await using gateway = await start(at.routes({}, { models }))
  for (const model of ['main', 'wild/m'])
    expect((await postAs(gateway, 'chat', { model })).headers.get('x-sluice-provider')).toBe('long')
})

test('an explanation tells why', async () => {
  await using at = await three()
  await using gateway = await start(at.routes({ short: 500 }))
  const messages = (content: string) => ({ model: 'main', messages: [{ role: 'user', content }] })
  const told = await granted(gateway, 'POST /admin/v1/explain', { request: messages(text) })
  expect(told['targets']).toMatchObject([
    { target: 'long/m', chosen: true, because: 'models.main.longer: long/m' },
  ])
  expect(told['notes']).toEqual([
    expect.stringMatching(/^short\/m is skipped: about 12\d\d tokens are more than its 500\.$/),
    'The models of longer serve instead.',
  ])
  const short = await granted(gateway, 'POST /admin/v1/explain', { request: messages('Hi') })
  expect(short['targets']).toMatchObject([{ target: 'short/m', chosen: true }])
  expect(short['notes']).toEqual(['If the prompt is too long: long/m.'])
})

test('a longer model that is the route itself or its target is refused, and another is stored', async () => {
  await using at = await three(tooLong['a code'])
  const { providers = {} } = at.routes()
  await using gateway = await start({ providers })
  const { etag } = await granted(gateway, 'GET /admin/v1/routes')
  const stored = (longer: readonly string[]) => ({
    models: { fresh: { targets: ['short/m'], longer } },
    etag,
  })
  for (const longer of [['short/m'], ['fresh'], ['long/m', 'short/m']]) {
    const refused = await asked(gateway, 'PUT /admin/v1/routes', stored(longer))
    expect(refused.status).toBe(400)
    expect(refused.body.error.message).toContain(`models.fresh.longer[${longer.length - 1}]`)
  }
  await granted(gateway, 'PUT /admin/v1/routes', stored(['long/m']))
  expect((await postAs(gateway, 'chat', { model: 'fresh' })).status).toBe(200)
})
