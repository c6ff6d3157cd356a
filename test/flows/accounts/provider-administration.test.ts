// The administration of a running gateway: providers, models, routes, settings and version.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { asked, granted } from '../../support/administrate.ts'
import { fakeUpstream } from '../../support/fakes/fake-upstream.ts'
import { ask, at, error, good } from '../../support/routes.ts'
import { start } from '../../support/start.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

type Row = Readonly<Record<string, unknown>> & { readonly id: string }

const rowOf = (rows: readonly Row[], id: string) => rows.find((row) => row.id === id)

test('shows whether a provider is on, why not, and the health of its targets', async () => {
  await using first = await fakeUpstream(good)
  await using second = await fakeUpstream(error(503))
  await using gateway = await start({
    ...at({ first, second }),
    defaults: { retries: { attempts: 1 }, breaker: { failures: 1 } },
  })
  await gateway.post('/v1/chat/completions', { model: 'first/a', ...ask })
  await gateway.post('/v1/chat/completions', { model: 'second/b', ...ask })
  const { data } = await granted(gateway, 'GET /admin/v1/providers')
  expect(rowOf(data, 'first')).toMatchObject({
    on: true,
    why: null,
    configuredBy: 'sluice.yaml',
    protocol: 'openai',
    baseUrl: `${first.url}/v1`,
    keys: 1,
    targets: [{ target: 'first/a', breaker: 'closed', refusedKeys: [], observations: 1 }],
  })
  const [target] = rowOf(data, 'second')?.['targets'] as readonly Row[]
  expect(target).toMatchObject({ target: 'second/b', refusedKeys: [expect.any(String)] })
  expect(rowOf(data, 'openai')).toMatchObject({
    on: false,
    why: expect.stringContaining('OPENAI_API_KEY'),
    environment: ['OPENAI_API_KEY'],
  })
  expect(rowOf(data, 'builtin')).toMatchObject({ on: true, name: 'Built-in engine' })
})

test('turns on a provider whose key is in the environment, and test calls reach it', async () => {
  await using first = await fakeUpstream(good)
  const variables = { OPENAI_API_KEY: 'sk-openai', OPENAI_BASE_URL: `${first.url}/v1` }
  await using gateway = await start({}, { variables })
  const { data } = await granted(gateway, 'GET /admin/v1/providers')
  expect(rowOf(data, 'openai')).toMatchObject({
    on: true,
    why: null,
    configuredBy: 'environment',
    keys: 1,
  })
  expect(rowOf(data, 'groq')).toMatchObject({ on: false, why: 'groq is off: set GROQ_API_KEY' })
  const tried = await granted(gateway, 'POST /admin/v1/providers/openai/test', { model: 'a' })
  expect(tried).toMatchObject({ ok: true, model: 'openai/a' })
})

test('shows a rejected provider key by its position only', async () => {
  await using first = await fakeUpstream((seen, response, request) => {
    const isRefused = seen.headers['authorization'] === 'Bearer the-first-key-of-two'
    return (isRefused ? error(401) : good)(seen, response, request)
  })
  await using gateway = await start({
    providers: {
      first: {
        type: 'openai',
        baseUrl: first.url,
        keys: ['the-first-key-of-two', 'the-second-key-of-two'],
      },
    },
  })
  await gateway.post('/v1/chat/completions', { model: 'first/a', ...ask })
  const { data } = await granted(gateway, 'GET /admin/v1/providers')
  expect(rowOf(data, 'first')?.['restingKeys']).toMatchObject([{ position: 1, model: null }])
  expect(JSON.stringify(data)).not.toContain('the-first-key')
})

test('distinguishes providers whose names contain each other', async () => {
  await using upstream = await fakeUpstream(good)
  const ids = ['a', 'a-b', 'b', 'x-a']
  const provider = (id: string) => ({
    type: 'openai' as const,
    baseUrl: `${upstream.url}/${id}`,
    key: `key-of-${id}`,
    models: [`of-${id}`],
  })
  await using gateway = await start({
    providers: Object.fromEntries(ids.map((id) => [id, provider(id)])),
    prices: {
      'a/*': { input: 2, output: 10 },
      'a-b/*': { input: 0, output: 0 },
      'b/*': {},
      'x-a/*': {},
    },
    keys: [{ name: 'only a', key: 'sk-only-a0123456789abcdef', models: ['a/*'] }],
  })
  const costs: Record<string, unknown> = { a: 44, 'a-b': 0, b: null, 'x-a': null }
  for (const id of ids) {
    const model = `${id}/of-${id}`
    const tried = await granted(gateway, `POST /admin/v1/providers/${id}/test`, {})
    expect(tried).toMatchObject({ ok: true, model, costMicroUsd: costs[id] })
    expect(upstream.seen.at(-1)).toMatchObject({
      path: expect.stringContaining(`/${id}/`),
      headers: { authorization: `Bearer key-of-${id}` },
    })
    const only = { key: 'sk-only-a0123456789abcdef' }
    const answer = await gateway.post('/v1/chat/completions', { model, ...ask }, only)
    expect(answer.status).toBe(id === 'a' ? 200 : 403)
    const { data: models } = await granted(gateway, `GET /admin/v1/models?provider=${id}`)
    expect(new Set(models.map((one) => one.id))).toEqual(new Set([model, `of-${id}`]))
    const { data: records } = await granted(gateway, `GET /admin/v1/requests?provider=${id}`)
    expect(new Set(records.map((one) => one['upstreamModel']))).toEqual(new Set([`of-${id}`]))
  }
  const { data } = await granted(gateway, 'GET /admin/v1/providers')
  for (const id of ids)
    expect(rowOf(data, id)?.['targets']).toMatchObject([{ target: `${id}/of-${id}` }])
})

test('a test call is routed and recorded like any other', async () => {
  await using first = await fakeUpstream(good)
  await using gateway = await start({
    ...at({ first }),
    prices: { 'first/*': { input: 2, output: 10 } },
  })
  const tried = await granted(gateway, 'POST /admin/v1/providers/first/test', { model: 'a' })
  expect(tried).toMatchObject({ ok: true, model: 'first/a', status: 200, costMicroUsd: 44 })
  const { data } = await granted(gateway, 'GET /admin/v1/requests')
  expect(data).toMatchObject([{ id: tried['request'], upstreamModel: 'a', costMicroUsd: 44 }])

  first.answer(error(401))
  expect(
    await granted(gateway, 'POST /admin/v1/providers/first/test', { model: 'a' }),
  ).toMatchObject({ ok: false, status: 502, errorCode: 'upstream_authentication' })
  const off = await asked(gateway, 'POST /admin/v1/providers/openai/test', {})
  expect([off.status, off.body.error.message]).toEqual([
    409,
    expect.stringContaining('OPENAI_API_KEY'),
  ])
  expect((await asked(gateway, 'POST /admin/v1/providers/none/test', {})).status).toBe(404)
})

test('lists a model with its targets, prices and operations', async () => {
  await using first = await fakeUpstream(good)
  await using gateway = await start({
    ...at({ first }),
    models: { quick: { targets: [{ target: 'first/a', weight: 3 }] }, gone: 'absent/a' },
    prices: { 'first/*': { input: 2, output: 10 } },
  })
  const { data } = await granted(gateway, 'GET /admin/v1/models?limit=5')
  expect(data).toHaveLength(5)
  expect(rowOf(data, 'quick')).toMatchObject({
    isRoute: true,
    problem: null,
    targets: [
      {
        target: 'first/a',
        weight: 3,
        because: 'models.quick.targets[0]',
        available: true,
        price: { source: 'sluice.yaml', rates: { input: { usd: 2, per: 1_000_000 } } },
      },
    ],
  })
  expect(rowOf(data, 'gone')).toMatchObject({
    targets: [],
    problem: expect.stringContaining('absent'),
  })
  const found = await granted(gateway, 'GET /admin/v1/models?search=builtin-ch&operation=chat')
  expect(found.data.map(({ id }) => id)).toContain('builtin-chat')
  expect((await asked(gateway, 'GET /admin/v1/models?limit=0')).body.error.param).toBe('limit')
  const lost = await asked(gateway, 'GET /admin/v1/models?after=removed')
  expect([lost.status, lost.body.error.param]).toEqual([400, 'after'])
})

test('shows the source of each setting, and no secret', async () => {
  using folder = temporaryFolder()
  const configFile = join(folder.path, 'sluice.yaml')
  writeFileSync(configFile, 'limits:\n  requestsPerMinute: 7\n')
  const secrets = ['a-key-of-a-provider', 'a-header-of-a-provider', 'sk-openai-secret', 'hunter22']
  await using gateway = await start(
    {
      limits: { requestsPerMinute: 7 },
      providers: {
        mine: {
          type: 'openai',
          baseUrl: `http://user:${secrets[3]}@127.0.0.1:9/v1`,
          key: secrets[0] ?? '',
          headers: { 'x-token': secrets[1] ?? '' },
        },
      },
      keys: [{ name: 'batch', key: 'sk-a-key-of-the-settings' }],
    },
    { configFile, variables: { OPENAI_API_KEY: secrets[2] ?? '', SLUICE_LOG_LEVEL: 'warn' } },
  )
  const { data } = await granted(gateway, 'GET /admin/v1/settings')
  const rows = data as unknown as readonly { path: string; value: unknown; source: string }[]
  const of = (path: string) => rows.find((row) => row.path === path)
  expect(of('limits.requestsPerMinute')).toMatchObject({ value: 7, source: 'sluice.yaml' })
  expect(of('limits.heldBytes')).toMatchObject({ source: 'default' })
  expect(of('log.level')).toMatchObject({ value: 'warn', source: 'environment: SLUICE_LOG_LEVEL' })
  expect(of('providers.openai')).toMatchObject({ source: 'environment: OPENAI_API_KEY' })
  expect(of('providers.mine.key')).toMatchObject({ value: '••••••', isHidden: true })
  expect(of('adminKey')).toMatchObject({ isHidden: true })
  const text = JSON.stringify(data)
  for (const secret of [...secrets, 'sk-a-key-of-the-settings', 'sk-admin', 'sk-test'])
    expect(text).not.toContain(secret)
})

test('about shows the version, license and benchmark', async () => {
  await using gateway = await start()
  const about = await granted(gateway, 'GET /admin/v1/about')
  expect(about).toMatchObject({
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    node: process.versions.node,
    database: 'SQLite',
    licence: expect.any(String),
    packages: expect.any(Array),
  })
  const { rows } = about['benchmark'] as { rows: readonly { target: string }[] }
  expect(rows.some(({ target }) => target === 'sluice')).toBe(true)
})
