// Keys of a LiteLLM proxy go on working: its database is imported into a gateway that runs, and calls are made with the secrets.
import { hash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { granted } from '../../../../test/support/administrate.ts'
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
import { config, key, masterKey, rows, secretOf, tables } from './litellm-rows.ts'

const litellm = await openTestDatabase()
afterAll(() => litellm?.[Symbol.asyncDispose]())

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
      expect([await chat(gateway, 'of-member', 'slow'), await chat(gateway, 'of-member')]).toEqual([
        200, 403,
      ])
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
        expect(await remaining(gateway, 'u2 (research)')).toBe(750_000)
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
      // A budget that counts the same keeps what was carried.
      const budgets = [{ limitMicroUsd: 20_000_000, window: 'month' }]
      await granted(gateway, `PATCH /admin/v1/keys/${app}`, { budgets })
      expect(await remaining(gateway, 'app')).toBe(16_000_000)
    })

    test('an imported key signs in, can be rotated, and its old secret is good for a while', async () => {
      await using data = await newData()
      await using staged = await newGateway(data.options)
      const { gateway } = staged
      await importInto(gateway, { database: await newLitellm() })
      const { data: keys } = await granted(gateway, 'GET /admin/v1/keys?limit=100')
      const console = { 'x-sluice-console': '1' }
      const signIn = { key: null, headers: console }
      const signedIn = await gateway.post('/admin/v1/session', { key: secretOf('app') }, signIn)
      expect(signedIn.status).toBe(200)
      const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
      const session = { key: null, headers: { ...console, cookie } }
      expect((await gateway.request('/admin/v1/session', session)).status).toBe(200)
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
    expect(done).toMatchObject({ dryRun: true, found: { keys: 13 } })
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
      /sluice\.yaml is written\.\nFound 1 organization, 3 teams, 2 users, 13 keys\. 19 added; 0 were here/,
    )
    expect(existsSync(join(folder.path, 'sluice.yaml'))).toBe(true)
    const again = await run('config.yaml', '--database', database)
    expect(again.exitCode).toBe(1)
    expect(again.stderr).toMatch(/sluice\.yaml exists: .*--force/)
    const forced = await run('config.yaml', '--database', database, '--force')
    expect(forced.stdout).toMatch(/0 added; 19 were here before/)
  })

  test('a master key in the environment is not imported, and its database is not that of Sluice', async () => {
    using folder = temporaryFolder()
    const database = await newLitellm()
    const inVariable = { SLUICE_DATA: folder.path, LITELLM_MASTER_KEY: secretOf('later') }
    const options = { database, dryRun: true, json: true }
    const { text } = await importLitellmCommand(readEnvironment(inVariable), undefined, options)
    expect(JSON.parse(text)).toMatchObject({ found: { keys: 13 } })
    expect(text).toContain('LiteLLM_VerificationToken: later')
    const shared = new URL(database)
    shared.search = ''
    const environment = readEnvironment({ ...inVariable, DATABASE_URL: shared.href })
    await expect(importLitellmCommand(environment, undefined, options)).rejects.toThrow(
      /Sluice would keep its tables in the database that is imported/,
    )
  })

  test('more than one request carries is added in parts, and a failure says how much is there', async () => {
    using folder = temporaryFolder()
    const tokens = Array.from({ length: 1_501 }, (_, index) => ({
      token: hash('sha256', `sk-many-${index}`),
      key_alias: `key ${index}`,
    }))
    const file = join(folder.path, 'LiteLLM_VerificationToken.json')
    writeFileSync(file, JSON.stringify(tokens))
    let answered = 0
    await using broken = await fakeUpstream((seen, response) => {
      answered += 1
      const ids = (seen.body['keys'] as { readonly id: string }[]).map(({ id }) => id)
      if (answered === 1) return json(response, { object: 'import', added: ids, present: [] })
      response.writeHead(503).end('{"error":{"message":"The database is away"}}')
    })
    const environment = readEnvironment({ SLUICE_ADMIN_KEY: adminKey, SLUICE_DATA: folder.path })
    const given = { export: [file], json: true }
    await expect(
      importLitellmCommand(environment, undefined, { ...given, url: broken.url }),
    ).rejects.toThrow(
      /^1500 of 1501 accounts and keys were imported; run it again for the rest: .*away/,
    )
    await using gateway = await start()
    const { text } = await importLitellmCommand(environment, undefined, {
      ...given,
      url: gateway.url,
    })
    expect((JSON.parse(text) as { added: string[] }).added).toHaveLength(1_501)
    expect((await gateway.request('/v1/models', { key: 'sk-many-1500' })).status).toBe(200)
  })

  test('a settings file is replaced with --force only, and what is no file never', async () => {
    using folder = temporaryFolder()
    const file = join(folder.path, 'config.yaml')
    writeFileSync(file, 'model_list: []\n')
    const environment = readEnvironment({ SLUICE_DATA: folder.path })
    const run = (options: ImportOptions) => importLitellmCommand(environment, file, options)
    const output = join(folder.path, 'new.yaml')
    writeFileSync(output, 'mine\n')
    await expect(run({ output })).rejects.toThrow(/new\.yaml exists: .*--force/)
    await expect(run({ output: folder.path, force: true })).rejects.toThrow(/is no file/)
    expect((await run({ output, dryRun: true })).text).toContain('would be written')
    expect(readFileSync(output, 'utf8')).toBe('mine\n')
    await run({ output, force: true })
    expect(readFileSync(output, 'utf8')).toMatch(
      /^# Made from config\.yaml of LiteLLM by sluice import/,
    )
    expect(statSync(output).mode & 0o777).toBe(0o600)
    const { text, notes } = await run({ output: '-' })
    expect(text).toMatch(/^# Made from/)
    expect(notes).toHaveLength(1)
    expect(readdirSync(folder.path).toSorted()).toEqual(['config.yaml', 'new.yaml'])
  })

  test('a gateway that cannot be reached leaves no file', async () => {
    using folder = temporaryFolder()
    const file = join(folder.path, 'config.yaml')
    writeFileSync(file, config)
    const environment = readEnvironment({ SLUICE_ADMIN_KEY: adminKey, SLUICE_DATA: folder.path })
    const output = join(folder.path, 'new.yaml')
    const options = { database: await newLitellm(), url: 'http://127.0.0.1:1', output }
    await expect(importLitellmCommand(environment, file, options)).rejects.toThrow(
      /^Nothing was imported: No gateway is running/,
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
