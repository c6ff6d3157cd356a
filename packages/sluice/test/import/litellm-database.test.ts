// Keys of a LiteLLM proxy go on working: its database is imported into a gateway that runs, and calls are made with the secrets.
import { hash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { asked, granted } from '../../../../test/support/administrate.ts'
import { fakeUpstream, json } from '../../../../test/support/fakes/fake-upstream.ts'
import { chatReply } from '../../../../test/support/fakes/openai-wire.ts'
import { runSluice } from '../../../../test/support/run-sluice.ts'
import { onEachDatabase } from '../../../../test/support/servers/databases.ts'
import { adminKey, type Started, start } from '../../../../test/support/start.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { openTestDatabase, query } from '../../../store/test/postgres/postgres-server.ts'
import { importLitellmCommand, type ImportOptions } from '../../src/cli/import/import.ts'
import { readEnvironment } from '../../src/config/env.ts'
import type { ConfigFile } from '../../src/config/schema.ts'

const litellm = await openTestDatabase()
afterAll(() => litellm?.[Symbol.asyncDispose]())

const tables = readFileSync(join(import.meta.dirname, 'litellm-tables.sql'), 'utf8')
/** As LiteLLM hashes a key (`hash_token`): SHA-256 of the whole of it. */
const hashToken = (secret: string) => hash('sha256', secret)
const secretOf = (name: string) => `sk-${hash('sha256', name, 'base64url').slice(0, 22)}`
const masterKey = 'sk-the-master-key-of-litellm'
const value = (one: unknown) =>
  one === null
    ? 'NULL'
    : typeof one === 'number' || typeof one === 'boolean'
      ? String(one)
      : `'${String(one)}'`

function insert(table: string, row: Readonly<Record<string, unknown>>): string {
  const columns = Object.keys(row).join(', ')
  return `INSERT INTO "${table}" (${columns}) VALUES (${Object.values(row).map(value).join(', ')});`
}

const by = { created_by: 'admin', updated_by: 'admin' }
const soon = '2199-01-01 00:00:00'
const past = '2020-01-01 00:00:00'

/** A key whose secret is `secretOf` its name, unless a token is given. */
const key = (name: string, row: Readonly<Record<string, unknown>> = {}) =>
  insert('LiteLLM_VerificationToken', {
    token: hashToken(secretOf(name)),
    key_name: `sk-...${secretOf(name).slice(-4)}`,
    key_alias: name,
    ...row,
  })

const rows = [
  insert('LiteLLM_BudgetTable', {
    budget_id: 'b-org',
    max_budget: 100,
    budget_duration: '30d',
    budget_reset_at: soon,
    ...by,
  }),
  insert('LiteLLM_BudgetTable', { budget_id: 'b-key', max_budget: 2, rpm_limit: 1000, ...by }),
  insert('LiteLLM_OrganizationTable', {
    organization_id: 'o1',
    organization_alias: 'acme',
    budget_id: 'b-org',
    spend: 30,
    ...by,
  }),
  insert('LiteLLM_TeamTable', {
    team_id: 't1',
    team_alias: 'research',
    organization_id: 'o1',
    models: '{fast,slow}',
    max_budget: 50,
    budget_duration: '7d',
    budget_reset_at: soon,
    spend: 12.5,
    tpm_limit: 900000,
    metadata: '{"cost_center": "7", "nested": {"a": 1}}',
  }),
  insert('LiteLLM_TeamTable', { team_id: 't2', team_alias: 'closed', blocked: true }),
  insert('LiteLLM_UserTable', {
    user_id: 'u1',
    user_email: 'ada@acme.example',
    user_role: 'internal_user',
    max_budget: 5,
    spend: 1,
    teams: '{t1}',
  }),
  key('app', {
    team_id: 't1',
    user_id: 'u1',
    models: '{fast}',
    max_budget: 10,
    budget_duration: '1mo',
    budget_reset_at: soon,
    spend: 4,
    rpm_limit: 60,
    metadata: '{"tags": ["prod"]}',
  }),
  key('personal', { user_id: 'u1', budget_id: 'b-key', spend: 0.5 }),
  key('blocked', { blocked: true }),
  key('expired', { expires: past }),
  key('later', { expires: soon }),
  key('spent', { max_budget: 1, budget_duration: '30d', budget_reset_at: soon, spend: 1 }),
  key('renewed', { max_budget: 1, budget_duration: '30d', budget_reset_at: past, spend: 1 }),
  key('of-closed', { team_id: 't2' }),
  key('of-organization', { organization_id: 'o1' }),
  key('embeddings', { allowed_routes: '{/v1/embeddings}' }),
  key('odd-routes', { allowed_routes: '{/v1/unheard-of}' }),
  key('rotated'),
  insert('LiteLLM_DeprecatedVerificationToken', {
    id: 'd1',
    token: hashToken(secretOf('before-rotation')),
    active_token_id: hashToken(secretOf('rotated')),
    revoke_at: soon,
  }),
  key('weak', { token: hashToken('sk-1234') }),
  key('number', { token: hashToken('sk-98765') }),
  key('master', { token: hashToken(masterKey) }),
  key('dashboard', { team_id: 'litellm-dashboard' }),
  insert('LiteLLM_ProxyModelTable', {
    model_id: 'm1',
    model_name: 'in-the-database',
    litellm_params: '{"model": "x"}',
  }),
].join('\n')

const config = `general_settings:\n  master_key: ${masterKey}\n`

async function newLitellm(): Promise<string> {
  if (!litellm) throw new Error('These tests are left out')
  const url = await litellm.newSchema()
  await query(url, tables + rows)
  return url
}

/** Calls cost ten cents: ten tokens at 10,000 dollars per million. */
const priced: ConfigFile = { prices: { 'up/*': { input: 10_000, output: 10_000 } } }

async function newGateway(options: object, further: ConfigFile = {}) {
  await using opened = new AsyncDisposableStack()
  const upstream = opened.use(
    await fakeUpstream((_seen, response) => json(response, chatReply('Hello'))),
  )
  const settings: ConfigFile = {
    providers: { up: { type: 'openai', baseUrl: upstream.url, key: 'k' } },
    models: { fast: 'up/fast', slow: 'up/slow', other: 'up/other' },
    ...further,
  }
  const gateway = opened.use(await start(settings, options))
  const moved = opened.move()
  return { gateway, [Symbol.asyncDispose]: () => moved.disposeAsync() }
}

async function importInto(gateway: Started, options: ImportOptions) {
  using folder = temporaryFolder()
  const file = join(folder.path, 'config.yaml')
  writeFileSync(file, config)
  const environment = readEnvironment({
    SLUICE_ADMIN_KEY: adminKey,
    SLUICE_DATA: folder.path,
    SLUICE_CONFIG: join(folder.path, 'sluice.yaml'),
  })
  writeFileSync(join(folder.path, 'sluice.yaml'), '{}\n')
  const output = join(folder.path, 'new.yaml')
  const { text } = await importLitellmCommand(environment, file, {
    url: gateway.url,
    json: true,
    output,
    ...options,
  })
  return JSON.parse(text) as {
    readonly added: readonly string[]
    readonly present: readonly string[]
    readonly found: object
    readonly report: readonly { place: string; field: string; verdict: string; note: string }[]
  }
}

async function chat(gateway: Started, name: string, model = 'fast'): Promise<number> {
  const body = { model, max_tokens: 3, messages: [{ role: 'user', content: 'Hi' }] }
  return (await gateway.post('/v1/chat/completions', body, { key: secretOf(name) })).status
}

describe.runIf(litellm)('with a database of LiteLLM', () => {
  onEachDatabase((newData) => {
    test('callers change nothing, and what was blocked, expired or spent stays so', async () => {
      await using data = await newData()
      await using staged = await newGateway(data.options)
      const { gateway } = staged
      const { report } = await importInto(gateway, { database: await newLitellm() })
      const statuses = Object.fromEntries(
        await Promise.all(
          [
            'app',
            'personal',
            'later',
            'renewed',
            'of-organization',
            'rotated',
            'before-rotation',
            'blocked',
            'expired',
            'of-closed',
            'odd-routes',
            'dashboard',
            'master',
            'spent',
          ].map(async (name) => [name, await chat(gateway, name)] as const),
        ),
      )
      expect(statuses).toEqual({
        app: 200,
        personal: 200,
        later: 200,
        renewed: 200,
        'of-organization': 200,
        rotated: 200,
        'before-rotation': 200,
        blocked: 401,
        expired: 401,
        'of-closed': 401,
        'odd-routes': 401,
        dashboard: 401,
        master: 401,
        spent: 429,
      })
      for (const secret of [
        'sk-1234',
        'sk-98765',
        masterKey,
        secretOf('app').slice(3),
        `sk-${secretOf('app')}`,
      ])
        expect((await gateway.request('/v1/models', { key: secret })).status).toBe(401)
      // Lists of models: of the key, of its team, and of nobody.
      expect(await chat(gateway, 'app', 'slow')).toBe(403)
      expect(await chat(gateway, 'personal', 'other')).toBe(200)
      expect(await chat(gateway, 'embeddings')).toBe(403)
      const left = report.filter(({ verdict }) => verdict === 'not taken')
      const reasonsOf = (row: string) =>
        left.filter(({ place }) => place.includes(row)).map(({ note }) => note)
      expect(reasonsOf('weak')).toEqual([
        'its secret is one of examples or a short number: make a new key',
      ])
      expect(reasonsOf('number')).toEqual(reasonsOf('weak'))
      expect(reasonsOf('master')).toEqual(['it is the master key'])
      expect(reasonsOf('dashboard')).toEqual(['it is a session of LiteLLM’s dashboard'])
      expect(reasonsOf('odd-routes')).toEqual([
        'no operation is meant: the key is disabled until it has operations',
      ])
      expect(reasonsOf('in-the-database')).toHaveLength(1)
      expect(report.filter(({ note }) => note.includes('does not know'))).toEqual([])
    })

    test('budgets go on from what was spent, also at another replica', async () => {
      await using data = await newData()
      const database = await newLitellm()
      {
        await using staged = await newGateway(data.options, priced)
        const { gateway } = staged
        await importInto(gateway, { database })
        const { data: keys } = await granted(gateway, 'GET /admin/v1/keys?limit=100')
        const app = keys.find(({ name }) => name === 'app')
        expect(app).toMatchObject({
          models: ['fast'],
          requestsPerMinute: 60,
          tags: ['prod'],
          metadata: { user: 'u1' },
          budgets: [
            { limitMicroUsd: 10_000_000, window: 'month', carried: { microUsd: 4_000_000 } },
          ],
        })
        expect(await remaining(gateway, 'app')).toBe(6_000_000)
        expect(await remaining(gateway, 'personal')).toBe(1_500_000)
        expect(await remaining(gateway, 'research')).toBe(37_500_000)
        expect(await remaining(gateway, 'acme')).toBe(70_000_000)
        expect(await remaining(gateway, 'ada@acme.example')).toBe(4_000_000)
        expect(await chat(gateway, 'app')).toBe(200)
        expect(await remaining(gateway, 'app')).toBe(5_900_000)
        expect(await remaining(gateway, 'acme')).toBe(69_900_000)
      }
      await using again = await newGateway(data.options, priced)
      expect(await remaining(again.gateway, 'app')).toBe(5_900_000)
      // A reset forgets what was carried, too.
      const { data: keys } = await granted(again.gateway, 'GET /admin/v1/keys?limit=100')
      const holder = keys.find(({ name }) => name === 'app')?.id ?? ''
      await granted(again.gateway, 'POST /admin/v1/budgets/reset', { holder })
      expect(await remaining(again.gateway, 'app')).toBe(10_000_000)
    })

    test('a second import adds what is new and leaves the rest as it is', async () => {
      await using data = await newData()
      await using staged = await newGateway(data.options)
      const { gateway } = staged
      const database = await newLitellm()
      const first = await importInto(gateway, { database })
      expect(first.present).toEqual([])
      const { data: before } = await granted(gateway, 'GET /admin/v1/keys?limit=100')
      const app = before.find(({ name }) => name === 'app')?.id ?? ''
      await granted(gateway, `PATCH /admin/v1/keys/${app}`, { requestsPerMinute: 7 })
      await query(database, key('another'))
      const second = await importInto(gateway, { database })
      expect(second.present.toSorted()).toEqual(first.added.toSorted())
      expect(second.added).toHaveLength(1)
      expect(await chat(gateway, 'another')).toBe(200)
      const { data: after } = await granted(gateway, 'GET /admin/v1/keys?limit=100')
      expect(after).toHaveLength(before.length + 1)
      expect(after.find(({ id }) => id === app)).toMatchObject({ requestsPerMinute: 7 })
    })

    test('an imported key can be rotated, and its old secret is good for a while', async () => {
      await using data = await newData()
      await using staged = await newGateway(data.options)
      const { gateway } = staged
      await importInto(gateway, { database: await newLitellm() })
      const { data: keys } = await granted(gateway, 'GET /admin/v1/keys?limit=100')
      const app = keys.find(({ name }) => name === 'app')?.id ?? ''
      const { secret } = await granted(gateway, `POST /admin/v1/keys/${app}/rotate`, {
        overlapSeconds: 60,
      })
      expect((await gateway.request('/v1/models', { key: secret })).status).toBe(200)
      expect(await chat(gateway, 'app')).toBe(200)
      await granted(gateway, `POST /admin/v1/keys/${app}/revoke`)
      expect(await chat(gateway, 'app')).toBe(401)
    })
  })

  test('a dry run changes nothing, and prints no secret', async () => {
    await using staged = await newGateway({})
    const { gateway } = staged
    const done = await importInto(gateway, { database: await newLitellm(), dryRun: true })
    expect(done).toMatchObject({ dryRun: true, found: { keys: 12 } })
    expect(JSON.stringify(done)).not.toContain(masterKey)
    const { data: keys } = await granted(gateway, 'GET /admin/v1/keys?limit=100')
    expect(keys).toEqual([])
  })

  test('the command imports into the data of a gateway that does not run', async () => {
    using folder = temporaryFolder()
    writeFileSync(join(folder.path, 'config.yaml'), config)
    const database = await newLitellm()
    const variables = { SLUICE_DATA: join(folder.path, 'data'), SLUICE_PORT: '1' }
    const run = (...args: readonly string[]) =>
      runSluice(['import', 'litellm', ...args], { folder: folder.path, variables })
    const { stdout, stderr, exitCode } = await run('config.yaml', '--database', database)
    expect(exitCode, stderr).toBe(0)
    expect(stdout).toMatch(
      /sluice\.yaml is written\.\nFound 1 organization, 3 teams, 1 user, 12 keys\. 17 added; 0 were here/,
    )
    expect(existsSync(join(folder.path, 'sluice.yaml'))).toBe(true)
    const again = await run('config.yaml', '--database', database)
    expect(again.exitCode).toBe(1)
    expect(again.stderr).toMatch(/sluice\.yaml exists: .*--force/)
    const forced = await run('config.yaml', '--database', database, '--force')
    expect(forced.stdout).toMatch(/0 added; 17 were here before/)
  })

  test('a gateway that cannot be reached leaves no file', async () => {
    using folder = temporaryFolder()
    const file = join(folder.path, 'config.yaml')
    writeFileSync(file, config)
    const environment = readEnvironment({ SLUICE_ADMIN_KEY: adminKey, SLUICE_DATA: folder.path })
    const output = join(folder.path, 'new.yaml')
    const options = { database: await newLitellm(), url: 'http://127.0.0.1:1', output }
    await expect(importLitellmCommand(environment, file, options)).rejects.toThrow(
      /^Nothing was imported: No gateway answers/,
    )
    expect(existsSync(output)).toBe(false)
  })
})

async function remaining(gateway: Started, name: string): Promise<unknown> {
  const { data } = await granted(gateway, 'GET /admin/v1/budgets')
  return data.find(({ holder }) => (holder as { readonly name: string }).name === name)?.[
    'remainingMicroUsd'
  ]
}

describe('POST /admin/v1/import', () => {
  const team = { id: 'team_0123456789abcdef', kind: 'team', name: 'a', createdAt: 1 }
  const one = {
    id: 'key_0123456789abcdef',
    name: 'k',
    hash: 'a'.repeat(64),
    hashScheme: 'whole',
    prefix: 'sk-',
    createdAt: 1,
  }

  test.each<[string, object, string]>([
    [
      'an owner that is not there',
      { accounts: [team], keys: [{ ...one, ownerId: 'team_fedcba9876543210' }] },
      'keys[0].ownerId',
    ],
    [
      'a parent of the wrong kind',
      { accounts: [team, { ...team, id: 'team_fedcba9876543210', parentId: team.id }], keys: [] },
      'accounts[1].parentId',
    ],
    [
      'the same secret twice',
      { accounts: [team], keys: [one, { ...one, id: 'key_fedcba9876543210' }] },
      'keys[1].hash',
    ],
    ['the same id twice', { accounts: [team, team], keys: [] }, 'accounts[1].id'],
    ['a role', { accounts: [team], keys: [{ ...one, role: 'administrator' }] }, 'keys[0].role'],
    [
      'an address that is none',
      { accounts: [team], keys: [{ ...one, addresses: ['x'] }] },
      'addresses[0]',
    ],
  ])('refuses %s, and adds nothing', async (_what, body, param) => {
    await using gateway = await start()
    const { status, body: answer } = await asked(gateway, 'POST /admin/v1/import', {
      source: 'x',
      ...body,
    })
    expect([status, answer.error.param]).toEqual([400, param])
    expect((await granted(gateway, 'GET /admin/v1/teams')).data).toEqual([])
  })

  test('is for owners only, and is one entry of the audit log', async () => {
    await using gateway = await start()
    const { secret } = await granted(gateway, 'POST /admin/v1/keys', {
      name: 'o',
      role: 'administrator',
      adminRole: 'operator',
    })
    const body = { source: 'litellm', accounts: [team], keys: [{ ...one, ownerId: team.id }] }
    expect((await asked(gateway, 'POST /admin/v1/import', body, secret)).status).toBe(403)
    await granted(gateway, 'POST /admin/v1/import', body)
    const { data } = await granted(gateway, 'GET /admin/v1/audit?limit=1')
    expect(data).toMatchObject([
      { action: 'accounts.import', target: 'litellm', after: { accounts: 1, keys: 1 } },
    ])
    expect(JSON.stringify(data)).not.toContain(one.hash)
  })
})
