// Searching and watching past requests in the administration.
import { afterAll, describe, expect, test } from 'vitest'
import { createKey } from '../../../packages/gateway/src/accounts/secrets.ts'
import type { AccountWrite, Store } from '../../../packages/gateway/src/ports/store.ts'
import { openPostgres } from '../../../packages/store/src/postgres/open-postgres.ts'
import { openSqlite } from '../../../packages/store/src/sqlite/open-sqlite.ts'
import {
  leaveOutPostgres,
  openTestDatabase,
} from '../../../packages/store/test/postgres/postgres-server.ts'
import { fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { ledger } from '../../support/ledger.ts'
import { openEvents } from '../../support/clients/open-events.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { ask, at, error, good, streams } from '../../support/routes.ts'
import { adminKey, start, type Started, until } from '../../support/start.ts'
import { sampleAccount, sampleAudit } from '../../support/store-samples.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const database = await openTestDatabase()
afterAll(() => database?.[Symbol.asyncDispose]())
const folders = new DisposableStack()
afterAll(() => folders[Symbol.dispose]())

test('PostgreSQL is available', (context) => {
  if (!database) leaveOutPostgres(context)
})

type Shown = Readonly<Record<string, unknown>> & { readonly id: string }

interface Page {
  readonly data: readonly Shown[]
  readonly nextCursor: string | null
  readonly error: { readonly param: string; readonly message: string }
}

async function search(gateway: Started, query = '', key = adminKey) {
  const response = await gateway.request(`/admin/v1/requests${query}`, { key })
  return { status: response.status, body: (await response.json()) as Page }
}

const mine = createKey({ name: 'mine', role: 'caller' }, Date.now())
const ofTeam = createKey({ name: 'team', role: 'administrator' }, Date.now())

async function withOwners(store: Store): Promise<Store> {
  const writes: readonly AccountWrite[] = [
    { account: sampleAccount({ id: 'org_1', kind: 'organization' }) },
    { account: sampleAccount({ id: 'team_1', kind: 'team', parentId: 'org_1' }) },
    { account: sampleAccount({ id: 'user_1', kind: 'user', parentId: 'team_1' }) },
    { key: { ...mine.key, ownerId: 'user_1' } },
    { key: { ...ofTeam.key, adminRole: 'team', ownerId: 'team_1' } },
  ]
  expect(await store.administer(writes, sampleAudit())).toBe(true)
  return store
}

const models = {
  routed: { targets: [{ target: 'first/a' }, { target: 'second/b', priority: 1 }] },
}
const prices = { 'first/*': { input: 2, output: 10 }, 'second/*': { input: 2, output: 10 } }
const refusing = error(503, {}, { 'x-request-id': 'up-1' })

function describeRequests(name: string, open: () => Promise<Store>): void {
  describe(`requests in ${name}`, () => {
    const started = async (routes: Parameters<typeof start>[0]) =>
      start(
        { prices, defaults: { retries: { attempts: 1 } }, ...routes },
        { store: await withOwners(await open()) },
      )
    const chat = (gateway: Started, body: object, options: object = {}) =>
      gateway.post('/v1/chat/completions', { ...ask, ...body }, options)

    test('lists a call with all its attempts', async () => {
      await using first = await fakeUpstream(refusing)
      await using second = await fakeUpstream((_seen, response) =>
        json(response, chatReply('Hello'), { headers: { 'x-request-id': 'up-2' } }),
      )
      await using gateway = await started(at({ first, second }, { models }))
      const answer = await chat(
        gateway,
        { model: 'routed' },
        {
          key: mine.secret,
          headers: { 'x-request-id': 'own-request-1', 'x-sluice-tags': 'nightly' },
        },
      )
      expect(answer.status).toBe(200)
      const { body } = await search(gateway, '?requestedModel=routed')
      expect(body).toMatchObject({
        nextCursor: null,
        data: [
          {
            id: answer.headers.get('x-sluice-call-id'),
            requestId: 'own-request-1',
            key: mine.key.id,
            user: 'user_1',
            team: 'team_1',
            organization: 'org_1',
            tags: ['nightly'],
            clientAddress: '127.0.0.1',
            operation: 'chat',
            format: 'chat',
            stream: false,
            model: 'routed',
            provider: 'second',
            upstreamModel: 'b',
            attempts: 2,
            outcome: 'completed',
            status: 200,
            errorCode: null,
            firstTokenMs: null,
            inputTokens: 7,
            outputTokens: 3,
            costMicroUsd: 44,
            dropped: [],
          },
        ],
      })
      const id = String(body.data[0]?.id)
      const one = await gateway.request(`/admin/v1/requests/${id}`, { key: adminKey })
      expect(one.headers.get('cache-control')).toBe('no-store')
      const whole = (await one.json()) as { timeline: Record<string, string>[] }
      expect(whole).toMatchObject({
        id,
        timeline: [
          {
            attempt: 1,
            provider: 'first',
            model: 'a',
            outcome: 'failed',
            status: 503,
            upstreamStatus: 503,
            errorCode: 'upstream_unavailable',
            reason: expect.stringContaining('first answered 503'),
            upstreamRequestId: 'up-1',
            costMicroUsd: 0,
            usage: {},
          },
          {
            attempt: 2,
            provider: 'second',
            outcome: 'completed',
            upstreamRequestId: 'up-2',
            costMicroUsd: 44,
            priceSource: 'sluice.yaml',
            usage: { inputTokens: 7, outputTokens: 3 },
          },
        ],
      })
      for (const { startedAt = '', endedAt = '' } of whole.timeline)
        expect(Date.parse(endedAt)).toBeGreaterThanOrEqual(Date.parse(startedAt))
    })

    test('shows the time to first token and the dropped fields of a stream', async () => {
      await using first = await fakeUpstream(streams)
      await using gateway = await started(at({ first }))
      const body = { model: 'first/a', stream: true, max_tokens: 9, messages: ask.messages }
      const answer = await gateway.post('/v1/messages', { ...body, speed: 'fast' })
      await answer.text()
      const { data } = (await search(gateway)).body
      expect(data).toMatchObject([{ format: 'messages', stream: true, dropped: ['speed'] }])
      expect(data[0]?.['firstTokenMs']).toEqual(expect.any(Number))
    })

    test('filters calls by their properties', async () => {
      await using first = await fakeUpstream(good)
      await using second = await fakeUpstream(refusing)
      await using gateway = await started(at({ first, second }))
      await chat(gateway, { model: 'first/a' }, { key: mine.secret })
      await chat(gateway, { model: 'second/b' }, { headers: { 'x-request-id': 'own-request-2' } })
      await chat(gateway, { model: 'first/c' }, { headers: { 'x-sluice-tags': 'nightly' } })
      const all = (await search(gateway)).body.data
      expect(all.map(({ upstreamModel }) => upstreamModel)).toEqual(['c', 'b', 'a'])
      const [c, b, a] = all.map(({ id }) => id)
      const cases = {
        [`key=${mine.key.id}`]: [a],
        'user=user_1': [a],
        'user=': [c, b],
        'team=team_1&model=a': [a],
        'team=team_1&model=b': [],
        'organization=org_1': [a],
        'provider=second': [b],
        'model=c': [c],
        'operation=chat': [c, b, a],
        'operation=embed': [],
        'tag=nightly': [c],
        'outcome=failed': [b],
        'outcome=completed': [c, a],
        'status=503': [b],
        'status=5xx': [b],
        'status=200': [c, a],
        'format=chat': [c, b, a],
        'format=messages': [],
        'requestedModel=first/a': [a],
        'requestedModel=b': [b],
        'requestedModel=second/a': [],
        'id=own-request-2': [b],
        [`id=${a}`]: [a],
        'id=unknown': [],
        'from=2020-01-01&to=2020-02-01': [],
        'from=2020-01-01&outcome=failed&tag=nightly': [],
      }
      for (const [query, ids] of Object.entries(cases)) {
        const { body } = await search(gateway, `?${query}`)
        expect([query, body.data.map(({ id }) => id)]).toEqual([query, ids])
      }
    })

    test('pages calls, each on one page only', async () => {
      await using first = await fakeUpstream(refusing)
      await using second = await fakeUpstream(good)
      await using gateway = await started(at({ first, second }, { models }))
      for (let count = 0; count < 5; count++) await chat(gateway, { model: 'routed' })
      const seen: string[] = []
      for (let cursor = ''; ; ) {
        const { body } = await search(gateway, `?limit=2&cursor=${cursor}`)
        seen.push(...body.data.map(({ id }) => id))
        if (body.nextCursor === null) break
        cursor = body.nextCursor
      }
      expect(seen).toHaveLength(5)
      expect(new Set(seen).size).toBe(5)
    })

    test('shows a call once when it gets another attempt between two pages', async () => {
      await using first = await fakeUpstream(good)
      await using gateway = await started(at({ first }))
      for (let count = 0; count < 5; count++) await chat(gateway, { model: 'first/a' })
      const seen: string[] = []
      const records = await ledger(gateway)
      for (let cursor = ''; ; ) {
        const { body } = await search(gateway, `?limit=2&cursor=${cursor}`)
        seen.push(...body.data.map(({ id }) => id))
        if (body.nextCursor === null) break
        cursor = body.nextCursor
        // Those of the next page are tried again, and one is new.
        for (const record of records)
          gateway.gateway.store.recordUsage({
            ...record,
            attempt: record.attempt + seen.length,
            startedAt: Date.now(),
          })
        await chat(gateway, { model: 'first/a' })
      }
      expect(seen.toSorted()).toEqual(records.map(({ callId }) => callId).toSorted())
    })

    test('shows a team’s calls to the team’s administrators', async () => {
      await using first = await fakeUpstream(good)
      await using gateway = await started(at({ first }))
      await chat(gateway, { model: 'first/a' }, { key: mine.secret })
      await chat(gateway, { model: 'first/b' })
      const { body } = await search(gateway, '', ofTeam.secret)
      expect(body.data).toMatchObject([{ upstreamModel: 'a' }])
      expect((await search(gateway, '?team=team_2', ofTeam.secret)).status).toBe(403)
      const [other] = (await search(gateway, '?model=b')).body.data
      const path = `/admin/v1/requests/${other?.id}`
      expect((await gateway.request(path, { key: ofTeam.secret })).status).toBe(404)
      expect((await gateway.request(path, { key: adminKey })).status).toBe(200)
    })

    test('streams calls live as they begin and end to those who may see them', async () => {
      await using first = await fakeUpstream(good)
      await using gateway = await started(at({ first }))
      const watch = (key: string, query = '') =>
        openEvents(`${gateway.url}/admin/v1/requests/live${query}`, key)
      await using all = await watch(adminKey)
      await using own = await watch(ofTeam.secret)
      await using failing = await watch(adminKey, '?outcome=failed')
      await using named = await watch(adminKey, '?requestedModel=first/b')
      await chat(gateway, { model: 'first/a' })
      await chat(gateway, { model: 'first/b' }, { key: mine.secret })
      first.answer(refusing)
      await chat(gateway, { model: 'first/c' })
      const told = (events: typeof all) =>
        events.seen.map(({ event, data }) => `${event} ${String(data['upstreamModel'])}`)
      await until(() => told(all).filter((one) => one.startsWith('request')).length === 3)
      expect(told(all).toSorted()).toEqual([
        'begin a',
        'begin b',
        'begin c',
        'request a',
        'request b',
        'request c',
      ])
      await until(() => told(failing).length === 1 && told(own).length === 2)
      expect(told(failing)).toEqual(['request c'])
      await until(() => told(named).length === 2)
      expect(told(named)).toEqual(['begin b', 'request b'])
      expect(told(own)).toEqual(['begin b', 'request b'])
      await until(async () => (await search(gateway)).body.data.length === 3)
    })
  })
}

describeRequests('SQLite', async () =>
  openSqlite({ file: `${folders.use(temporaryFolder()).path}/sluice.db` }),
)
if (database)
  describeRequests('PostgreSQL', async () => openPostgres({ url: await database.newSchema() }))

test.each([
  ['?status=9', 'status'],
  ['?status=6xx', 'status'],
  ['?outcome=bad', 'outcome'],
  ['?format=morse', 'format'],
  ['?limit=501', 'limit'],
  ['?cursor=x', 'cursor'],
  ['?from=yesterday', 'from'],
  ['?colour=red', 'colour'],
])('rejects %s and names the parameter', async (query, param) => {
  await using gateway = await start()
  const { status, body } = await search(gateway, query)
  expect(status).toBe(400)
  expect(body.error.param).toBe(param)
})

test('answers 404 for an unknown call', async () => {
  await using gateway = await start()
  const response = await gateway.request('/admin/v1/requests/req_none', { key: adminKey })
  expect(response.status).toBe(404)
})

test('ends live streams when the gateway stops', async () => {
  const gateway = await start()
  const events = await openEvents(`${gateway.url}/admin/v1/requests/live`, adminKey)
  const begun = performance.now()
  await gateway[Symbol.asyncDispose]()
  await events.over
  expect(performance.now() - begun).toBeLessThan(5_000)
})
