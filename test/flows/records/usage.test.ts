// What was used and what it cost, as administrators and the holders of keys ask for it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { createKey } from '../../../packages/gateway/src/accounts/secrets.ts'
import type { AccountWrite, Store } from '../../../packages/gateway/src/ports/store.ts'
import { flatRecordSchema } from '../../../packages/server/src/usage-rows.ts'
import { openPostgres } from '../../../packages/store/src/postgres/open-postgres.ts'
import { openSqlite } from '../../../packages/store/src/sqlite/open-sqlite.ts'
import {
  leaveOutPostgres,
  openTestDatabase,
} from '../../../packages/store/test/postgres/postgres-server.ts'
import { type FakeUpstream, fakeUpstream } from '../../support/fakes/fake-upstream.ts'
import { ask, at, good } from '../../support/routes.ts'
import { adminKey, type Started, start } from '../../support/start.ts'
import { sampleAccount, sampleAudit } from '../../support/store-samples.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** Seven tokens in and three out are what the fake upstream reports: 7 × 2 + 3 × 10 = 44 millionths. */
const prices = { 'first/priced': { input: 2, output: 10 } }
const database = await openTestDatabase()
afterAll(() => database?.[Symbol.asyncDispose]())
const folders = new DisposableStack()
afterAll(() => folders[Symbol.dispose]())

test('PostgreSQL is available', (context) => {
  if (!database) leaveOutPostgres(context)
})

const admin = { key: adminKey }

interface Answered {
  readonly data: readonly Readonly<Record<string, unknown>>[]
  readonly nextCursor: string | null
  readonly error: { readonly param: string }
}

async function usage(gateway: Started, query: string, options: object = admin) {
  const response = await gateway.request(`/admin/v1/usage${query}`, options)
  return { status: response.status, body: (await response.json()) as Answered }
}

/** A key of a user, who is in a team of an organization. */
const mine = createKey({ name: 'mine', role: 'caller' }, Date.now())
const { id } = mine.key

async function withOwners(store: Store): Promise<Store> {
  const writes: readonly AccountWrite[] = [
    { account: sampleAccount({ id: 'org_1', kind: 'organization' }) },
    { account: sampleAccount({ id: 'team_1', kind: 'team', parentId: 'org_1' }) },
    { account: sampleAccount({ id: 'user_1', kind: 'user', parentId: 'team_1' }) },
    { key: { ...mine.key, ownerId: 'user_1' } },
  ]
  expect(await store.administer(writes, sampleAudit())).toBe(true)
  return store
}

/** Two calls of the user's key with a tag, one of which has no price, and one of the key of the settings. */
async function threeCalls(gateway: Started): Promise<void> {
  for (const model of ['first/priced', 'first/unpriced']) {
    const answer = await gateway.post(
      '/v1/chat/completions',
      { model, ...ask },
      { key: mine.secret, headers: { 'x-sluice-tags': 'nightly' } },
    )
    expect(answer.status).toBe(200)
  }
  await gateway.post('/v1/chat/completions', { model: 'first/priced', ...ask })
}

function describeUsage(name: string, open: () => Promise<Store>): void {
  describe(`usage in ${name}`, () => {
    const started = async (first: FakeUpstream, further: object = {}) =>
      start({ ...at({ first }), prices, ...further }, { store: await withOwners(await open()) })

    test('is grouped by owner, model and time, and an unknown cost is null', async () => {
      await using first = await fakeUpstream(good)
      await using gateway = await started(first)
      await threeCalls(gateway)
      const { body } = await usage(gateway, '?by=user,model')
      expect(body.data).toMatchObject([
        { user: null, model: 'priced', attempts: 1, calls: 1, costMicroUsd: 44, unknownCosts: 0 },
        { user: 'user_1', model: 'priced', costMicroUsd: 44, inputTokens: 7, outputTokens: 3 },
        { user: 'user_1', model: 'unpriced', attempts: 1, costMicroUsd: null, unknownCosts: 1 },
      ])
      expect(body).toMatchObject({
        total: { attempts: 3, costMicroUsd: 88, unknownCosts: 1 },
        pending: 0,
        nextCursor: null,
      })
      const today = new Date().toISOString().slice(0, 10)
      expect((await usage(gateway, '?by=day,team&tag=nightly')).body.data).toMatchObject([
        { day: `${today}T00:00:00Z`, team: 'team_1', attempts: 2 },
      ])
      expect((await usage(gateway, `?by=organization&key=${id}`)).body.data).toMatchObject([
        { organization: 'org_1', attempts: 2 },
      ])
      expect((await usage(gateway, '?by=tag')).body.data).toMatchObject([
        { tag: 'nightly', attempts: 2 },
      ])
    })

    test('is paged and exported as tables', async () => {
      await using first = await fakeUpstream(good)
      await using gateway = await started(first)
      await threeCalls(gateway)
      const whole = await usage(gateway, '?by=key,model')
      const page = await usage(gateway, '?by=key,model&limit=2')
      expect(page.body.data).toEqual(whole.body.data.slice(0, 2))
      const rest = await usage(gateway, `?by=key,model&limit=2&cursor=${page.body.nextCursor}`)
      expect(rest.body.data).toEqual(whole.body.data.slice(2))
      const csv = await gateway.request('/admin/v1/usage?by=model&format=csv', admin)
      expect(csv.headers.get('content-type')).toMatch(/^text\/csv/)
      const [head, ...lines] = (await csv.text()).trim().split('\r\n')
      expect(head).toMatch(/^model,attempts,calls,/)
      expect(lines.map((line) => line.split(',').slice(0, 2))).toEqual([
        ['priced', '2'],
        ['unpriced', '1'],
      ])

      const listed = await usage(gateway, '/records?limit=2')
      const more = await usage(gateway, `/records?limit=2&cursor=${listed.body.nextCursor}`)
      const records = [...listed.body.data, ...more.body.data]
      expect(records).toMatchObject([
        {
          model: 'priced',
          userId: 'user_1',
          teamId: 'team_1',
          organizationId: 'org_1',
          tags: '["nightly"]',
          costMicroUsd: 44,
          reported: true,
          unsettled: false,
        },
        { model: 'unpriced', costMicroUsd: null },
        { model: 'priced', userId: null, tags: null },
      ])
      expect(more.body.nextCursor).toBeNull()
      const lined = await gateway.request(
        '/admin/v1/usage/records?format=jsonl&model=priced',
        admin,
      )
      const rows = (await lined.text())
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as object)
      expect(rows).toEqual([records[0], records[2]])
      const columns = Object.keys({ ...records[1] })
      expect(rows.map((row) => Object.keys(row))).toEqual([columns, columns])
    })

    test('of a key shows its holder only its own, with what is left of its limits', async () => {
      await using first = await fakeUpstream(good)
      await using gateway = await started(first, { limits: { requestsPerMinute: 2 } })
      await threeCalls(gateway)
      const { secret } = mine
      const own = await gateway.request('/v1/usage', { key: secret })
      expect(await own.json()).toMatchObject({
        key: { id, name: 'mine' },
        data: [
          { model: 'priced', attempts: 1 },
          { model: 'unpriced', attempts: 1 },
        ],
        total: { attempts: 2, costMicroUsd: 44, unknownCosts: 1 },
        limits: [{ kind: 'rate', unit: 'requests', limit: 2, remaining: 0 }],
      })
      for (const path of ['/v1/usage?key=other', '/v1/usage?by=user']) {
        const refused = await gateway.request(path, { key: secret })
        expect(refused.status).toBe(400)
      }
      expect((await usage(gateway, '', { key: secret })).status).toBe(403)
    })

    test('is erased by user and recomputed', async () => {
      await using first = await fakeUpstream(good)
      await using gateway = await started(first)
      await threeCalls(gateway)
      const post = (path: string, body: object) => gateway.post(path, body, admin)
      const erased = await post('/admin/v1/usage/erase', { user: 'user_1' })
      const { replacement, records } = (await erased.json()) as {
        replacement: string
        records: number
      }
      expect(records).toBe(2)
      const [last] = await gateway.gateway.store.listAudit({ limit: 1, before: 99 })
      expect(last).toMatchObject({ action: 'usage.erase', target: replacement })
      const check = async () => {
        const { body } = await usage(gateway, '?by=user,key')
        expect(body.data).toMatchObject([
          { user: null, attempts: 1 },
          { user: replacement, key: replacement, attempts: 2, costMicroUsd: 44 },
        ])
        const listed = JSON.stringify((await usage(gateway, '/records')).body)
        expect(listed).not.toMatch(new RegExp(`user_1|${id}`))
      }
      await check()
      expect((await post('/admin/v1/usage/rebuild', {})).status).toBe(200)
      await check()
    })
  })
}

describeUsage('SQLite', async () => {
  const folder = folders.use(temporaryFolder())
  return openSqlite({ file: join(folder.path, 'sluice.db') })
})
if (database)
  describeUsage('PostgreSQL', async () => openPostgres({ url: await database.newSchema() }))

/** A cursor that nobody was given. */
function cursorOf(...place: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url')
}

describe('an invalid usage query', () => {
  test.each([
    [1e300, 1],
    [1.5, 1],
    [-1, 1],
    [1, 2 ** 53],
    [1, 0.5],
  ])('rejects a forged cursor: %d, %d', async (...place) => {
    await using gateway = await start()
    for (const path of ['usage/records', 'requests']) {
      const asked = `/admin/v1/${path}?cursor=${cursorOf(...place)}`
      const response = await gateway.request(asked, admin)
      expect([path, response.status]).toEqual([path, 400])
      expect(await response.json()).toMatchObject({ error: { param: 'cursor' } })
    }
  })

  test.each([
    ['by=colour', 'by'],
    ['by=day,hour', 'by'],
    ['by=model,model', 'by'],
    ['by=model,key,user', 'by'],
    ['from=yesterday', 'from'],
    ['from=2026-01-31T08:30:00Z', 'from'],
    ['from=2026-02-31T08:00:00Zx', 'from'],
    ['from=2026-02-31', 'from'],
    ['to=2026-02-30T08:00:00Z', 'to'],
    ['from=2026-02-01&to=2026-01-01', 'from'],
    ['from=2026-02-01&to=2026-02-01', 'from'],
    ['from=2026-02-01T00:00:00Z&to=2026-02-01', 'from'],
    ['limit=0', 'limit'],
    ['limit=10001', 'limit'],
    ['cursor=nonsense', 'cursor'],
    ['by=model&cursor=WzEsMl0', 'cursor'],
    [`by=model&cursor=${cursorOf(0)}`, 'cursor'],
    [`by=day&cursor=${cursorOf('a')}`, 'cursor'],
    [`by=hour,model&cursor=${cursorOf(1.5, 'a')}`, 'cursor'],
    ['format=xml', 'format'],
    ['colour=red', 'colour'],
    ['model=a&model=b', 'model'],
  ])('is rejected by the name of its parameter: %s', async (query, param) => {
    await using gateway = await start()
    const { status, body } = await usage(gateway, `?${query}`)
    expect([status, body.error.param]).toEqual([400, param])
  })

  test.each([
    [{}, 'user'],
    [{ user: 'a', key: 'b' }, 'key'],
    [{ key: 7 }, 'key'],
  ])('rejects an erasure without exactly one valid user or key: %j', async (body, param) => {
    await using gateway = await start()
    const response = await gateway.post('/admin/v1/usage/erase', body, admin)
    expect([response.status, await response.json()]).toMatchObject([400, { error: { param } }])
  })
})

test('docs/usage.md names every column with its type', () => {
  const document = readFileSync(new URL('../../../docs/usage.md', import.meta.url), 'utf8')
  const rows = [...document.matchAll(/^\| `(\w+)` \| `[A-Z].* \| (`.*`) \|$/gm)]
  const told = rows.flatMap(([, type = '', names = '']) =>
    [...names.matchAll(/`(\w+)`/g)].map(([, name]) => [name, type]),
  )
  const typeOf = ({ type, format, contentMediaType }: Record<string, unknown>) =>
    format === 'date-time'
      ? 'time'
      : contentMediaType === undefined
        ? String([type].flat()[0]).replace('string', 'text')
        : 'json'
  const { properties } = JSON.parse(JSON.stringify(flatRecordSchema)) as {
    readonly properties: Record<string, Record<string, unknown>>
  }
  const columns = Object.entries(properties).map(([name, schema]) => [name, typeOf(schema)])
  expect(Object.fromEntries(told)).toEqual(Object.fromEntries(columns))
  expect(told).toHaveLength(columns.length)
})
