// Names with a wildcard: what they lead to, what goes before them, and how they are listed, limited and stored.
import { describe, expect, test } from 'vitest'
import { asked, granted } from '../../support/administrate.ts'
import { answering, chatFaces, postAs } from '../../support/clients/four-formats.ts'
import { type FakeUpstream, fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import type { Routes } from '../../support/routes.ts'
import { start, type Started, until } from '../../support/start.ts'

async function two() {
  await using opened = new AsyncDisposableStack()
  const up = opened.use(await fakeUpstream(answering.openai))
  const other = opened.use(await fakeUpstream(answering.openai))
  const moved = opened.move()
  return {
    up,
    other,
    routes: (further: Routes): Routes => ({
      providers: {
        up: { type: 'openai', baseUrl: up.url, key: 'k' },
        other: { type: 'openai', baseUrl: other.url, key: 'k' },
      },
      defaults: { retries: { attempts: 1 } },
      ...further,
    }),
    [Symbol.asyncDispose]: () => moved[Symbol.asyncDispose](),
  }
}

const modelAt = (upstream: FakeUpstream) => upstream.seen.at(-1)?.body['model']

describe.each(chatFaces)('asked as %s', (face) => {
  test.each([false, true])('a wildcard renames, streamed: %s', async (stream) => {
    await using at = await two()
    await using gateway = await start(at.routes({ models: { 'wild/*': 'up/*' } }))
    for (const name of ['m', 'org/m:7b@2026']) {
      const response = await postAs(gateway, face, { model: `wild/${name}`, stream })
      const text = await response.text()
      expect(response.status, text).toBe(200)
      expect(text).toContain('Hello')
      expect(modelAt(at.up)).toBe(name)
      expect(response.headers.get('x-sluice-model')).toBe(name)
    }
  })
})

/** The model that a name leads to, as `provider/model`. */
async function reached(gateway: Started, model: string): Promise<string> {
  const response = await postAs(gateway, 'chat', { model })
  const text = await response.text()
  if (response.status !== 200) return `${response.status}`
  expect(text).toContain('Hello')
  return `${response.headers.get('x-sluice-provider')}/${response.headers.get('x-sluice-model')}`
}

test('exact names win, then the longest beginning, then the longest end', async () => {
  await using at = await two()
  await using gateway = await start(
    at.routes({
      models: {
        '*': 'other/any-*',
        'gpt-*': 'up/*',
        'gpt-4*': 'up/four-*',
        '*-mini': 'up/small-*',
        'gpt-*-mini': 'up/mini-*',
        'gpt-4o': 'other/exact',
      },
    }),
  )
  for (const [name, target] of [
    ['gpt-4o', 'other/exact'],
    ['gpt-4o-x', 'up/four-o-x'],
    ['gpt-5', 'up/5'],
    ['gpt-5-mini', 'up/mini-5'],
    ['claude-mini', 'up/small-claude'],
    ['claude', 'other/any-claude'],
    // `*` stands for something.
    ['gpt-', 'other/any-gpt-'],
  ] as const)
    expect(await reached(gateway, name), name).toBe(target)
})

test('the names of a provider go before a wildcard with a shorter beginning', async () => {
  await using at = await two()
  const any = { '*': 'other/any-*' }
  await using gateway = await start(at.routes({ models: any }))
  expect(await reached(gateway, 'up/m')).toBe('up/m')
  expect(await reached(gateway, 'nobody/m')).toBe('other/any-nobody/m')
  await gateway.configure(at.routes({ models: { ...any, 'up/*': 'other/*' } }))
  expect(await reached(gateway, 'up/m')).toBe('other/m')
})

test('fills targets, fallbacks and options of a route', async () => {
  await using at = await two()
  at.up.answer((_seen, response) => json(response, { error: { message: 'no' } }, { status: 500 }))
  await using gateway = await start(
    at.routes({
      models: {
        'wild/*': {
          targets: [{ target: 'up/*-fast', weight: 2 }],
          fallback: ['other/*'],
          defaults: { temperature: 0.25 },
        },
      },
    }),
  )
  expect(await reached(gateway, 'wild/m')).toBe('other/m')
  expect(modelAt(at.up)).toBe('m-fast')
  expect(at.other.seen.at(-1)?.body['temperature']).toBe(0.25)
})

test('a name that holds a * itself is covered by none', async () => {
  await using at = await two()
  await using gateway = await start(at.routes({ models: { 'wild/*': 'up/*' } }))
  for (const name of ['wild/*', 'wild/a*', 'wild/'])
    expect(await reached(gateway, name), name).toBe('404')
})

test('a key is allowed the name that it asks for, and a wildcard in its list covers more of them', async () => {
  await using at = await two()
  await using gateway = await start(at.routes({ models: { 'wild/*': 'up/*', 'b/*': 'up/*' } }))
  const { secret: key } = await granted(gateway, 'POST /admin/v1/keys', {
    name: 'k',
    models: ['wild/*'],
  })
  expect((await postAs(gateway, 'chat', { model: 'wild/m', key })).status).toBe(200)
  for (const model of ['b/m', 'up/m'])
    expect((await postAs(gateway, 'chat', { model, key })).status).toBe(403)
})

test('lists the names of what its provider lists', async () => {
  await using at = await two()
  const models = ['m', 'n']
  await using gateway = await start({
    ...at.routes({ models: { 'wild/*': 'up/*', 'wild/n': 'other/x', 'none/*': 'up/z-*' } }),
    providers: {
      up: { type: 'openai', baseUrl: at.up.url, key: 'k', models },
      other: { type: 'openai', baseUrl: at.other.url, key: 'k', models: ['x'] },
    },
  })
  const list = (await (await gateway.request('/v1/models')).json()) as {
    data: readonly { id: string }[]
  }
  const ids = list.data.map(({ id }) => id)
  expect(ids.filter((id) => /^(wild|none)/.test(id)).toSorted()).toEqual(['wild/m', 'wild/n'])
  expect((await gateway.request('/v1/models/wild%2Fm')).status).toBe(200)
})

test('all models of a wildcard share its concurrency limit', async () => {
  await using at = await two()
  const held = Promise.withResolvers<void>()
  at.up.answer(async (seen, response) => {
    await held.promise
    return answering.openai(seen, response)
  })
  await using gateway = await start(
    at.routes({
      models: { 'wild/*': { targets: [{ target: 'up/*', maxConcurrent: 1 }] } },
      providers: {
        up: { type: 'openai', baseUrl: at.up.url, key: 'k', whenFull: 'wait', queueMs: 1 },
      },
    }),
  )
  const first = postAs(gateway, 'chat', { model: 'wild/a' })
  await until(() => at.up.seen.length === 1)
  expect((await postAs(gateway, 'chat', { model: 'wild/b' })).status).toBe(503)
  held.resolve()
  expect((await first).status).toBe(200)
})

test('routes in the database have wildcards, with a plan; half a wildcard is refused', async () => {
  await using at = await two()
  await using gateway = await start(at.routes({}))
  const { etag } = await granted(gateway, 'GET /admin/v1/routes')
  for (const [models, place] of [
    [{ 'wild/*': 'up/m' }, 'models["wild/*"] has no *'],
    [{ wild: 'up/*' }, 'models.wild has a *'],
    [{ 'wild/*': { targets: ['up/*', 'up/m'] } }, 'models["wild/*"].targets[1] has no *'],
    [{ 'wild/*': { targets: [{ target: 'up/m' }] } }, 'targets[0].target has no *'],
    [{ wild: { targets: ['up/m'], fallback: ['up/*'] } }, 'models.wild.fallback[0] has a *'],
    [{ 'wild/*': '*/m' }, 'must name the provider'],
    [{ 'wild/*/*': 'up/*' }, 'is a pattern'],
  ] as const) {
    const refused = await asked(gateway, 'PUT /admin/v1/routes', { models, etag })
    expect(refused.status, place).toBe(400)
    expect(refused.body.error.message).toContain(place)
  }
  const models = { 'wild/*': 'up/*', 'lost/*': 'nobody/*' }
  const plan = await granted(gateway, 'POST /admin/v1/routes/plan', {
    models,
    sample: { request: { model: 'wild/m', messages: [{ role: 'user', content: 'Hi' }] } },
  })
  expect(plan['problems']).toMatchObject([{ model: 'lost/*' }])
  expect(plan['after']).toMatchObject({ targets: [{ target: 'up/m', because: 'models.wild/*' }] })
  await granted(gateway, 'PUT /admin/v1/routes', { models, etag })
  expect(await reached(gateway, 'wild/m')).toBe('up/m')
})
