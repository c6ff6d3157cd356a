// Routes that administrators add while the gateway runs: planned, stored, applied on all replicas, beside those of sluice.yaml.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { asked, granted } from '../../support/administrate.ts'
import { fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { ask, good } from '../../support/routes.ts'
import { runSluice } from '../../support/run-sluice.ts'
import { start } from '../../support/start.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const declared = { quick: { targets: [{ target: 'first/a', weight: 1 }] }, slow: 'first/b' }
const stored = { ...declared, fresh: { targets: ['builtin/builtin-chat'] } }

test('plans and applies routes without touching sluice.yaml', async () => {
  await using gateway = await start({ models: declared })
  const read = await granted(gateway, 'GET /admin/v1/routes')
  expect(read).toMatchObject({ models: declared, declared: ['quick', 'slow'] })
  // Nobody is called first here.
  expect(read['problems']).toMatchObject([{ model: 'quick' }, { model: 'slow' }])

  const sample = { request: { model: 'fresh', ...ask } }
  const plan = await granted(gateway, 'POST /admin/v1/routes/plan', { models: stored, sample })
  expect(plan).toMatchObject({
    etag: read['etag'],
    changes: [{ model: 'fresh', change: 'added', before: null, after: stored.fresh }],
    before: { error: { code: 'model_not_found' } },
    after: { model: 'fresh', targets: [{ target: 'builtin/builtin-chat', chosen: true }] },
    yaml: 'models:\n  fresh:\n    targets:\n      - builtin/builtin-chat\n',
  })
  expect((await granted(gateway, 'GET /admin/v1/routes'))['models']).toEqual(declared)

  const body = { models: stored, etag: read['etag'] }
  const applied = await granted(gateway, 'PUT /admin/v1/routes', body)
  expect(applied['etag']).not.toBe(read['etag'])
  const answer = await gateway.post('/v1/chat/completions', { model: 'fresh', ...ask })
  expect(answer.status).toBe(200)
  const { data } = await granted(gateway, 'GET /admin/v1/audit')
  expect(data[0]).toMatchObject({
    action: 'routes.change',
    before: { fresh: null },
    after: { fresh: stored.fresh },
  })

  const late = await asked(gateway, 'PUT /admin/v1/routes', body)
  expect([late.status, late.body.error.param]).toEqual([409, 'etag'])
  const removal = { models: declared, etag: applied['etag'] }
  await granted(gateway, 'PUT /admin/v1/routes', removal)
  expect((await gateway.post('/v1/chat/completions', { model: 'fresh', ...ask })).status).toBe(404)
})

test('a route of sluice.yaml is neither changed nor removed', async () => {
  await using gateway = await start({ models: declared })
  const { etag } = await granted(gateway, 'GET /admin/v1/routes')
  for (const models of [{ ...declared, slow: 'first/c' }, { quick: declared.quick }])
    for (const [address, body] of [
      ['POST /admin/v1/routes/plan', { models }],
      ['PUT /admin/v1/routes', { models, etag }],
    ] as const) {
      const refused = await asked(gateway, address, body)
      expect([refused.status, refused.body.error.param]).toEqual([409, 'models.slow'])
    }
})

test('what sluice.yaml declares later is used instead, and the stored route comes back', async () => {
  await using gateway = await start({})
  const { etag } = await granted(gateway, 'GET /admin/v1/routes')
  const models = { fresh: 'builtin/builtin-chat' }
  await granted(gateway, 'PUT /admin/v1/routes', { models, etag })
  const called = () => gateway.post('/v1/chat/completions', { model: 'fresh', ...ask })
  await gateway.configure({ models: { fresh: 'nobody/a' } })
  expect((await called()).status).not.toBe(200)
  const read = await granted(gateway, 'GET /admin/v1/routes')
  expect(read).toMatchObject({ models: { fresh: 'nobody/a' }, declared: ['fresh'] })
  // Another change does not lose it.
  const more = { fresh: 'nobody/a', other: 'builtin/builtin-chat' }
  await granted(gateway, 'PUT /admin/v1/routes', { models: more, etag: read['etag'] })
  await gateway.configure({})
  expect((await called()).status).toBe(200)
})

test('names an invalid route and stores nothing', async () => {
  await using gateway = await start({})
  const { etag } = await granted(gateway, 'GET /admin/v1/routes')
  for (const [route, param] of [
    [{ targets: [{ target: 'first/a', weight: -1 }] }, 'models.fresh.targets[0].weight'],
    ['no-provider', 'models.fresh'],
    ['first/${HOME}', 'models.fresh'],
    ['wild/*', 'models.fresh'],
  ] as const)
    for (const [address, body] of [
      ['POST /admin/v1/routes/plan', { models: { fresh: route } }],
      ['PUT /admin/v1/routes', { models: { fresh: route }, etag }],
    ] as const) {
      const refused = await asked(gateway, address, body)
      expect([refused.status, refused.body.error.param]).toEqual([400, param])
    }
  expect((await granted(gateway, 'GET /admin/v1/routes'))['models']).toEqual({})
})

test('a replica and a restart have the route', async () => {
  using folder = temporaryFolder()
  const dataFolder = folder.path
  {
    await using one = await start({}, { dataFolder })
    await using other = await start({}, { dataFolder })
    const { etag } = await granted(one, 'GET /admin/v1/routes')
    const models = { fresh: 'builtin/builtin-chat' }
    await granted(one, 'PUT /admin/v1/routes', { models, etag })
    const called = () => other.post('/v1/chat/completions', { model: 'fresh', ...ask })
    await expect.poll(async () => (await called()).status, { timeout: 10_000 }).toBe(200)
    // Both may change routes: the second sees the first one's change.
    const read = await granted(other, 'GET /admin/v1/routes')
    expect(read['models']).toEqual(models)
  }
  await using again = await start({}, { dataFolder })
  expect((await again.post('/v1/chat/completions', { model: 'fresh', ...ask })).status).toBe(200)
})

test('the command line sets, lists and removes routes of a running gateway', async () => {
  using folder = temporaryFolder()
  writeFileSync(join(folder.path, 'sluice.yaml'), 'models:\n  slow: builtin/builtin-chat\n')
  await using gateway = await start({ models: { slow: 'builtin/builtin-chat' } })
  const run = (...args: readonly string[]) =>
    runSluice([...args, '--url', gateway.url], {
      folder: folder.path,
      variables: { SLUICE_ADMIN_KEY: 'sk-admin0123456789abcdef' },
    })
  const dry = await run('routes', 'set', 'fresh', 'builtin/builtin-chat', '--dry-run')
  expect(dry.stdout).toContain('+ fresh')
  expect((await run('routes', 'list')).stdout).not.toContain('fresh')
  const set = await run('routes', 'set', 'fresh', '{targets: [{target: builtin/builtin-chat}]}')
  expect([set.exitCode, set.stderr]).toEqual([0, 'Applied.\n'])
  const { stdout } = await run('routes', 'list')
  expect(stdout).toMatch(/fresh +database +\{"targets"/)
  expect(stdout).toMatch(/slow +sluice\.yaml +builtin\/builtin-chat/)
  expect((await run('routes', 'set', 'slow', 'builtin/builtin-chat-2')).stderr).toContain(
    'models.slow is declared in sluice.yaml',
  )
  await run('routes', 'remove', 'fresh')
  expect((await run('routes', 'list')).stdout).not.toContain('fresh')
})

test('a plan warns of models that their provider does not list, of changed routes alone', async () => {
  await using upstream = await fakeUpstream((seen, response, request) =>
    seen.path.endsWith('/models')
      ? json(response, { data: [{ id: 'large-2' }, { id: 'small-2' }] })
      : good(seen, response, request),
  )
  const at = { type: 'openai', baseUrl: upstream.url, key: 'k' } as const
  await using gateway = await start({
    providers: {
      first: at,
      second: { ...at, models: ['m', { id: 'own', upstream: 'theirs' }] },
      silent: { ...at, baseUrl: 'http://127.0.0.1:9' },
    },
    models: { old: 'first/unlisted' },
  })
  const models = {
    old: 'first/unlisted',
    fine: { targets: ['first/large-2', 'second/m', 'second/own', 'second/theirs', 'silent/any'] },
    typo: { targets: ['first/large2', 'builtin/builtin-chat'], fallback: ['second/n'] },
  }
  const plan = await granted(gateway, 'POST /admin/v1/routes/plan', { models })
  expect(plan['problems']).toEqual([])
  expect(plan['unlisted']).toEqual([
    { model: 'typo', problem: 'first does not list large2. Did you mean "large-2"?' },
    { model: 'typo', problem: 'second does not list n' },
  ])
})
