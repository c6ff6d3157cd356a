// Keys of new-api go on working: from its database (SQLite, PostgreSQL) or exported files, into a gateway with its channels.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { granted } from '../../../../test/support/administrate.ts'
import { fakeUpstream, json } from '../../../../test/support/fakes/fake-upstream.ts'
import { chatReply } from '../../../../test/support/fakes/openai-wire.ts'
import { adminKey, type Started, start } from '../../../../test/support/start.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { openTestDatabase, query } from '../../../store/test/postgres/postgres-server.ts'
import { importNewApiCommand, type ImportOptions } from '../../src/cli/import/import.ts'
import { readEnvironment } from '../../src/config/env.ts'
import type { ConfigFile } from '../../src/config/schema.ts'

const postgres = await openTestDatabase()
afterAll(() => postgres?.[Symbol.asyncDispose]())

const tables = readFileSync(join(import.meta.dirname, 'new-api-tables.sql'), 'utf8')
/** As new-api makes them: 48 letters and digits, without the `sk-` that callers write before. */
const secretOf = (name: string) =>
  name.padEnd(24, 'aB3dE5gH7jK9mN1pQ2sT4vW6').repeat(2).slice(0, 48)
const now = 1_790_000_000

type Rows = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>

const token = (id: number, name: string, row: object = {}) => ({
  id,
  user_id: 1,
  key: secretOf(name),
  name,
  created_time: now,
  unlimited_quota: false,
  remain_quota: 5_000_000,
  used_quota: 500_000,
  ...row,
})

function rowsAt(baseUrl: string): Rows {
  const channel = { type: 8, base_url: baseUrl, status: 1, key: 'up-key', group: 'default,vip' }
  return {
    channels: [
      {
        ...channel,
        id: 1,
        name: 'main',
        models: 'fast,slow',
        model_mapping: '{"fast":"vendor-fast"}',
        priority: 10,
        weight: 3,
      },
      {
        ...channel,
        id: 2,
        name: 'spare',
        key: 'k1\nk2',
        channel_info: '{"is_multi_key":true}',
        models: 'fast',
        priority: 0,
      },
      { ...channel, id: 3, name: 'for vip', key: 'vip-key', models: 'large', group: 'vip' },
      { ...channel, id: 4, name: 'off', status: 2, models: 'gone' },
      { ...channel, id: 5, name: 'songs', type: 36, models: 'suno' },
    ],
    users: [
      {
        id: 1,
        username: 'ada',
        password: 'x',
        quota: 10_000_000,
        used_quota: 2_500_000,
        group: 'default',
        created_at: now,
      },
      { id: 2, username: 'out', password: 'x', quota: 10, status: 2 },
      { id: 3, username: 'gone', password: 'x', quota: 10, deleted_at: '2025-01-01 00:00:00' },
    ],
    tokens: [
      token(1, 'app'),
      token(2, 'unlimited', { unlimited_quota: true, remain_quota: 0, group: 'vip' }),
      token(3, 'one-model', { model_limits_enabled: true, model_limits: 'slow' }),
      token(4, 'disabled', { status: 2 }),
      token(5, 'expired', { status: 3, expired_time: now - 100 }),
      token(6, 'exhausted', { status: 4, remain_quota: 0 }),
      token(7, 'elsewhere', { allow_ips: '10.9.9.9\n10.8.0.0/16' }),
      token(8, 'odd-ips', { allow_ips: 'office' }),
      token(9, 'of-out', { user_id: 2 }),
      token(10, 'of-gone', { user_id: 3 }),
      token(11, 'short', { key: 'qwe987' }),
      token(12, 'removed', { deleted_at: '2025-01-01 00:00:00' }),
    ],
    options: [
      { key: 'QuotaPerUnit', value: '500000' },
      { key: 'ModelRatio', value: '{"fast":1}' },
    ],
  }
}

const value = (one: unknown) =>
  typeof one === 'number' || typeof one === 'boolean' ? String(one) : `'${String(one)}'`

function statementsOf(rows: Rows): string {
  return Object.entries(rows)
    .flatMap(([table, list]) =>
      list.map(
        (row) =>
          `INSERT INTO ${table} (${Object.keys(row)
            .map((name) => `"${name}"`)
            .join(', ')}) VALUES (${Object.values(row).map(value).join(', ')});`,
      ),
    )
    .join('\n')
}

/** The rows of a table as CSV. */
function csvOf(rows: Rows[string]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const cell = (one: unknown) => (one === undefined ? '' : `"${String(one).replaceAll('"', '""')}"`)
  return [
    names.join(','),
    ...rows.map((row) => names.map((name) => cell(row[name])).join(',')),
  ].join('\n')
}

/** Each way in which the rows may be given. */
const sources: Readonly<Record<string, (rows: Rows, folder: string) => Promise<ImportOptions>>> = {
  async 'a file of SQLite'(rows, folder) {
    const file = join(folder, 'one-api.db')
    using db = new DatabaseSync(file)
    db.exec(tables + statementsOf(rows))
    return { database: file }
  },
  async 'a database of PostgreSQL'(rows) {
    const url = (await postgres?.newSchema()) ?? ''
    await query(url, tables + statementsOf(rows))
    return { database: url }
  },
  async 'one file of JSON'(rows, folder) {
    const file = join(folder, 'new-api.json')
    writeFileSync(file, JSON.stringify(rows))
    return { export: [file] }
  },
  async 'a file of CSV for each table'(rows, folder) {
    return {
      export: Object.entries(rows).map(([table, list]) => {
        const file = join(folder, `${table}.csv`)
        writeFileSync(file, csvOf(list))
        return file
      }),
    }
  },
}

async function importFrom(name: string, rows: Rows, further: ImportOptions = {}) {
  using folder = temporaryFolder()
  const options = (await sources[name]?.(rows, folder.path)) ?? {}
  const environment = readEnvironment({ SLUICE_ADMIN_KEY: adminKey, SLUICE_DATA: folder.path })
  const output = join(folder.path, 'new.yaml')
  const { text } = await importNewApiCommand(environment, {
    json: true,
    output,
    ...options,
    ...further,
  })
  const done = JSON.parse(text) as {
    readonly added: readonly string[]
    readonly present: readonly string[]
    readonly report: readonly {
      readonly place: string
      readonly verdict: string
      readonly note: string
    }[]
  }
  return {
    ...done,
    settings:
      further.dryRun === true ? undefined : (parse(readFileSync(output, 'utf8')) as ConfigFile),
  }
}

describe.each(Object.keys(sources))('from %s', (name) => {
  test.skipIf(name.includes('PostgreSQL') && !postgres)('callers change nothing', async () => {
    await using upstream = await fakeUpstream((_seen, response) =>
      json(response, chatReply('Hello')),
    )
    const rows = rowsAt(upstream.url)
    await using gateway = await start()
    const { settings, report, added } = await importFrom(name, rows, { url: gateway.url })
    expect(added).toHaveLength(11)
    await gateway.configure(settings ?? {})
    const ofModels = (models: readonly string[]) =>
      models.map((model) => [secretOf('app'), model] as const)
    const statuses = await Promise.all(
      ofModels(['fast', 'slow', 'large', 'gone']).map(([secret, model]) =>
        chat(gateway, secret, model),
      ),
    )
    expect(statuses).toEqual([200, 200, 403, 403])
    const byToken: Readonly<Record<string, number>> = Object.fromEntries(
      await Promise.all(
        [
          'unlimited',
          'disabled',
          'expired',
          'exhausted',
          'elsewhere',
          'odd-ips',
          'of-out',
          'of-gone',
          'removed',
        ].map(
          async (one) =>
            [
              one,
              await chat(gateway, secretOf(one), one === 'unlimited' ? 'large' : 'fast'),
            ] as const,
        ),
      ),
    )
    expect(byToken).toEqual({
      unlimited: 200,
      disabled: 401,
      expired: 401,
      exhausted: 429,
      elsewhere: 403,
      'odd-ips': 401,
      'of-out': 401,
      'of-gone': 401,
      removed: 401,
    })
    expect([
      await chat(gateway, secretOf('one-model'), 'slow'),
      await chat(gateway, secretOf('one-model'), 'fast'),
    ]).toEqual([200, 403])
    expect((await gateway.request('/v1/models', { key: 'sk-qwe987' })).status).toBe(401)
    expect(
      upstream.seen.map(({ headers, body }) => [
        headers['authorization'],
        (body as { model: string }).model,
      ]),
    ).toContainEqual(['Bearer up-key', 'vendor-fast'])
    const { data: budgets } = await granted(gateway, 'GET /admin/v1/budgets')
    const left = Object.fromEntries(
      budgets.map(({ holder, remainingMicroUsd }) => [
        (holder as { name: string }).name,
        remainingMicroUsd,
      ]),
    )
    expect(left).toMatchObject({ app: 10_000_000, ada: 20_000_000, exhausted: 0 })
    const lost = report.filter(({ verdict }) => verdict === 'not taken')
    expect(lost.find(({ place }) => place.includes('short'))?.note).toBe(
      'its secret has fewer than 16 characters',
    )
    expect(lost.find(({ place }) => place.includes('songs'))?.note).toBe(
      'there is no provider for channels of type 36',
    )
    expect(report.filter(({ note }) => note.includes('does not know'))).toEqual([])
    expect(JSON.stringify(report)).not.toContain(secretOf('app'))
    const again = await importFrom(name, rows, { url: gateway.url })
    expect([again.added, again.present.length]).toEqual([[], 11])
  })
})

test('channels become routes with weights and priorities', async () => {
  const { channels = [] } = rowsAt('http://up.example')
  // Nothing but settings: no gateway is asked.
  const done = await importFrom('one file of JSON', { channels }, { url: 'http://127.0.0.1:1' })
  expect(done.settings).toEqual({
    providers: {
      up: { type: 'openai', baseUrl: 'http://up.example/v1', key: 'up-key' },
      'up-2': { type: 'openai', baseUrl: 'http://up.example/v1', keys: ['k1', 'k2'] },
      'up-3': { type: 'openai', baseUrl: 'http://up.example/v1', key: 'vip-key' },
    },
    models: {
      fast: {
        targets: [
          { target: 'up/vendor-fast', weight: 13, priority: 0 },
          { target: 'up-2/fast', weight: 10, priority: 10 },
        ],
      },
      slow: 'up/slow',
      large: 'up-3/large',
    },
  })
})

async function chat(gateway: Started, secret: string, model: string): Promise<number> {
  const body = { model, max_tokens: 3, messages: [{ role: 'user', content: 'Hi' }] }
  return (await gateway.post('/v1/chat/completions', body, { key: `sk-${secret}` })).status
}

test.each([
  ['mysql://root@127.0.0.1/new-api', /MySQL is not read: .*--export/],
  ['/nowhere/one-api.db', /There is no file \/nowhere\/one-api\.db/],
])('--database %s fails with a sentence', async (database, message) => {
  using folder = temporaryFolder()
  const environment = readEnvironment({ SLUICE_DATA: folder.path })
  await expect(importNewApiCommand(environment, { database })).rejects.toThrow(message)
  await expect(importNewApiCommand(environment, {})).rejects.toThrow(/--database or --export/)
})
