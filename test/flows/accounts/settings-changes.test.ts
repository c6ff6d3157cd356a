// Administrators plan and apply changes of sluice.yaml while the gateway runs: routes and settings of providers.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import '../../support/property-limits.ts'
import { parseDocument } from 'yaml'
import { changesBetween, textWith } from '../../../packages/sluice/src/config/section.ts'
import { asked, granted } from '../../support/administrate.ts'
import { fakeUpstream } from '../../support/fakes/fake-upstream.ts'
import { ask, good } from '../../support/routes.ts'
import { type Started, start } from '../../support/start.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const written = `# Ours.
models:
  # For everyday work.
  quick:
    targets: # in order
      - target: first/a # the cheap one
        weight: 1
  slow: first/b # seldom
`

async function withFile(folder: string, further: object = {}): Promise<Started> {
  const configFile = join(folder, 'sluice.yaml')
  writeFileSync(configFile, written)
  return start(
    { models: { quick: { targets: [{ target: 'first/a', weight: 1 }] }, slow: 'first/b' } },
    { configFile, variables: { FIRST: '1' }, ...further },
  )
}

test('plans and applies routes, keeping comments of the file', async () => {
  using folder = temporaryFolder()
  await using gateway = await withFile(folder.path)
  const file = join(folder.path, 'sluice.yaml')
  const { models, etag, isWritable, problems } = await granted(gateway, 'GET /admin/v1/routes')
  expect(isWritable).toBe(true)
  expect(models).toEqual({
    quick: { targets: [{ target: 'first/a', weight: 1 }] },
    slow: 'first/b',
  })
  // Nobody is called first here.
  expect(problems).toMatchObject([{ model: 'quick' }, { model: 'slow' }])

  const next = {
    quick: { targets: [{ target: 'builtin/builtin-chat', weight: 2 }] },
    fresh: 'builtin/builtin-chat',
  }
  const sample = { request: { model: 'fresh', ...ask } }
  const plan = await granted(gateway, 'POST /admin/v1/routes/plan', { models: next, sample })
  expect(plan).toMatchObject({
    etag,
    changes: [
      { model: 'fresh', change: 'added', before: null, after: 'builtin/builtin-chat' },
      { model: 'quick', change: 'changed' },
      { model: 'slow', change: 'removed', before: 'first/b', after: null },
    ],
    problems: [],
    before: { error: { code: 'model_not_found' } },
    after: { model: 'fresh', targets: [{ target: 'builtin/builtin-chat', chosen: true }] },
    yaml: expect.stringContaining('fresh: builtin/builtin-chat'),
  })
  expect(readFileSync(file, 'utf8')).toBe(written)

  const applied = await granted(gateway, 'PUT /admin/v1/routes', { models: next, etag })
  expect(applied['etag']).not.toBe(etag)
  const text = readFileSync(file, 'utf8')
  expect(text).toContain('# Ours.')
  expect(text).toContain('# For everyday work.')
  expect(text).toContain('target: builtin/builtin-chat # the cheap one')
  expect(text).not.toContain('slow')
  const answer = await gateway.post('/v1/chat/completions', { model: 'fresh', ...ask })
  expect(answer.status).toBe(200)
  const { data } = await granted(gateway, 'GET /admin/v1/audit')
  expect(data[0]).toMatchObject({
    action: 'routes.change',
    before: { slow: 'first/b', fresh: null },
    after: { slow: null, fresh: 'builtin/builtin-chat' },
  })

  const late = await asked(gateway, 'PUT /admin/v1/routes', { models: {}, etag })
  expect([late.status, late.body.error.param]).toEqual([409, 'etag'])
  expect(readFileSync(file, 'utf8')).toBe(text)
})

test('names an invalid route and writes nothing', async () => {
  using folder = temporaryFolder()
  await using gateway = await withFile(folder.path)
  const { etag } = await granted(gateway, 'GET /admin/v1/routes')
  const models = { quick: { targets: [{ target: 'first/a', weight: -1 }] } }
  for (const [address, body] of [
    ['POST /admin/v1/routes/plan', { models }],
    ['PUT /admin/v1/routes', { models, etag }],
  ] as const) {
    const refused = await asked(gateway, address, body)
    expect([refused.status, refused.body.error.param]).toEqual([
      400,
      'models.quick.targets[0].weight',
    ])
  }
  expect((await asked(gateway, 'POST /admin/v1/routes/plan', {})).body.error.param).toBe('models')
  expect(readFileSync(join(folder.path, 'sluice.yaml'), 'utf8')).toBe(written)
})

test('reports a read-only file, and the plan has its text', async () => {
  using folder = temporaryFolder()
  const configFile = join(folder.path, 'no-folder', 'sluice.yaml')
  await using gateway = await start({}, { configFile })
  const { etag, isWritable } = await granted(gateway, 'GET /admin/v1/routes')
  expect(isWritable).toBe(false)
  const models = { fresh: 'builtin/builtin-chat' }
  const refused = await asked(gateway, 'PUT /admin/v1/routes', { models, etag })
  expect([refused.status, refused.body.error.message]).toEqual([
    409,
    expect.stringContaining('cannot be written'),
  ])
  const plan = await granted(gateway, 'POST /admin/v1/routes/plan', { models })
  expect(plan).toMatchObject({
    isWritable: false,
    yaml: 'models:\n  fresh: builtin/builtin-chat\n',
  })
})

test('rejects environment references in a route', async () => {
  using folder = temporaryFolder()
  await using gateway = await withFile(folder.path, { variables: { TOKEN_OF_OURS: 'hidden-word' } })
  const { etag } = await granted(gateway, 'GET /admin/v1/routes')
  const models = { quick: 'first/${TOKEN_OF_OURS}' }
  for (const [address, body] of [
    ['POST /admin/v1/routes/plan', { models }],
    ['PUT /admin/v1/routes', { models, etag }],
    [
      'POST /admin/v1/provider-settings/plan',
      { providers: { first: { models: ['${TOKEN_OF_OURS}'] } } },
    ],
  ] as const) {
    const refused = await asked(gateway, address, body)
    expect(refused.status).toBe(400)
    expect(refused.body.error.message).toContain('refers to a variable')
    expect(JSON.stringify(refused.body)).not.toContain('hidden-word')
  }
  // As a plain text, and where it stands in the file already.
  const plain = { models: { quick: 'first/$${TOKEN_OF_OURS}' } }
  await granted(gateway, 'POST /admin/v1/routes/plan', plain)
  const file = join(folder.path, 'sluice.yaml')
  writeFileSync(file, 'models: { quick: "first/${TOKEN_OF_OURS}", slow: first/b }\n')
  const kept = { models: { quick: 'first/${TOKEN_OF_OURS}' } }
  const { changes } = await granted(gateway, 'POST /admin/v1/routes/plan', kept)
  expect(changes).toMatchObject([{ model: 'slow', change: 'removed' }])
})

const withProviders = `# Ours.
providers:
  first:
    type: openai
    baseUrl: BASE # where it is
    key: sk-of-first-0123456789
    maxConcurrent: 4 # as agreed
    headers: { x-account: secret-account }
`

test('plans and applies provider settings, except those that redirect keys', async () => {
  await using first = await fakeUpstream(good)
  using folder = temporaryFolder()
  const configFile = join(folder.path, 'sluice.yaml')
  const text = withProviders.replace('BASE', first.url)
  writeFileSync(configFile, text)
  const file = parseDocument(text).toJS() as object
  await using gateway = await start(file, { configFile })
  const address = '/admin/v1/provider-settings'
  const read = await granted(gateway, `GET ${address}`)
  expect(read).toMatchObject({ isWritable: true, providers: { first: { maxConcurrent: 4 } } })
  const { etag } = read
  const providers = { first: { timeouts: { totalMs: 9000 }, maxConcurrent: 5 }, builtin: {} }
  const plan = await granted(gateway, `POST ${address}/plan`, { providers })
  expect(plan).toMatchObject({
    etag,
    changes: [
      {
        provider: 'first',
        change: 'changed',
        before: { maxConcurrent: 4 },
        after: { timeouts: { totalMs: 9000 }, maxConcurrent: 5 },
      },
    ],
    problems: [],
  })
  expect(readFileSync(configFile, 'utf8')).toBe(text)
  const off = { providers: { first: { enabled: false } } }
  expect((await granted(gateway, `POST ${address}/plan`, off))['problems']).toMatchObject([
    { provider: 'first' },
  ])

  const applied = await granted(gateway, `PUT ${address}`, { providers, etag })
  const now = readFileSync(configFile, 'utf8')
  expect(now).toContain('# where it is')
  expect(now).toContain('maxConcurrent: 5 # as agreed')
  expect(parseDocument(now).toJS()).toEqual({
    providers: {
      first: {
        ...(file as { providers: { first: object } }).providers.first,
        maxConcurrent: 5,
        timeouts: { totalMs: 9000 },
      },
    },
  })
  const chat = await gateway.post('/v1/chat/completions', { model: 'first/a', ...ask })
  expect(chat.status).toBe(200)
  const { data } = await granted(gateway, 'GET /admin/v1/audit')
  expect(data[0]).toMatchObject({
    action: 'providers.change',
    before: { first: { maxConcurrent: 4 } },
    after: { first: { maxConcurrent: 5 } },
  })
  for (const said of [read, plan, applied, data[0]])
    for (const secret of ['sk-of-first', 'secret-account'])
      expect(JSON.stringify(said)).not.toContain(secret)

  const cleared = { providers: { first: {} }, etag: applied['etag'] }
  await granted(gateway, `PUT ${address}`, cleared)
  expect(parseDocument(readFileSync(configFile, 'utf8')).toJS()).toMatchObject({
    providers: { first: { key: 'sk-of-first-0123456789' } },
  })
  expect(readFileSync(configFile, 'utf8')).not.toContain('maxConcurrent')
  const late = await asked(gateway, `PUT ${address}`, cleared)
  expect([late.status, late.body.error.param]).toEqual([409, 'etag'])
  for (const [field, value, param] of [
    ['baseUrl', 'http://elsewhere.example', 'providers.first.baseUrl'],
    ['key', 'sk-other-0123456789', 'providers.first.key'],
    ['headers', {}, 'providers.first.headers'],
    ['maxConcurrent', -1, 'providers.first.maxConcurrent'],
  ] as const) {
    const refused = await asked(gateway, `POST ${address}/plan`, {
      providers: { first: { [field]: value } },
    })
    expect([refused.status, refused.body.error.param]).toEqual([400, param])
  }
})

test('the edited text parses to the requested settings', () => {
  const route = fc.oneof(
    fc.constantFrom('first/a', 'second/b'),
    fc.record(
      {
        targets: fc.array(
          fc.record({ target: fc.constantFrom('first/a', 'x/y'), weight: fc.nat(9) }),
          { minLength: 1, maxLength: 3 },
        ),
        strategy: fc.constantFrom('weighted', 'latency'),
        retries: fc.record({ attempts: fc.integer({ min: 1, max: 5 }) }),
      },
      { requiredKeys: ['targets'] },
    ),
  )
  const routes = fc.dictionary(fc.stringMatching(/^[a-z][a-z.: -]{0,8}[a-z]$/), route, {
    maxKeys: 4,
  })
  fc.assert(
    fc.property(routes, routes, (one, other) => {
      const first = textWith('# Top.\nserver:\n  port: 1\n', 'models', changesBetween({}, one))
      const second = textWith(first, 'models', changesBetween(one, other))
      const { server, models = {} } = parseDocument(second).toJS() as Record<string, object>
      expect({ server, models }).toEqual({ server: { port: 1 }, models: other })
      expect(second).toContain('# Top.')
    }),
  )
})
