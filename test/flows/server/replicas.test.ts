// Three gateway processes with folders of their own, one PostgreSQL and one Redis act as one gateway for callers.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { AuditCheck } from '../../../packages/gateway/src/accounts/audit.ts'
import type { ConfigFile } from '../../../packages/sluice/src/config/schema.ts'
import { openPostgres } from '../../../packages/store/src/postgres/open-postgres.ts'
import { type FakeUpstream, fakeUpstream, json, sse } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { reservedTokens } from '../../support/formats/reserved-tokens.ts'
import {
  type AskOptions,
  type Program,
  startProgram,
  type Told,
} from '../../support/gateways/program.ts'
import { adminKey, until } from '../../support/start.ts'
import { openPostgresAndRedis } from '../../support/servers/postgres-and-redis.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { noSuchAddress } from '../../support/gateways/two-keys.ts'
import { clientStreams, upstreamStreams } from '../../support/fakes/upstream-streams.ts'

const { postgres, redis } = await openPostgresAndRedis()

const [openai] = upstreamStreams
const chat = { model: 'up/m', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] }
/** One millionth of a dollar for each token: the fake upstream's answers have used ten. */
const prices = { '*': { input: 1, output: 1 } }
const used = 10
/** What each may cost. */
const each = reservedTokens(chat)

/** Answers at once, or begins a stream and never ends it. */
const answering: Parameters<typeof fakeUpstream>[0] = (seen, response) => {
  if (seen.path.endsWith('/responses')) return noSuchAddress(response)
  if (seen.body['stream'] !== true) return json(response, chatReply('Hello'))
  return sse(response, [...openai!.preamble, ...openai!.content], { end: false })
}

interface Shown {
  readonly id: string
  readonly secret: string
}

describe.runIf(postgres && redis)('three replicas at one PostgreSQL and one Redis', () => {
  const opened = new AsyncDisposableStack()
  let upstream: FakeUpstream
  let databaseUrl: string
  let content: ConfigFile
  const folders: string[] = []
  let here: Program
  let there: Program
  let further: Program
  beforeAll(async () => {
    upstream = opened.use(await fakeUpstream(answering))
    databaseUrl = (await postgres?.newSchema()) ?? ''
    const up = { type: 'openai', baseUrl: upstream.url, key: 'k' } as const
    content = {
      prices,
      providers: { up },
      builtin: { enabled: 'always' },
      redis: { timeoutMs: 5_000 },
    }
    const started = [0, 1, 2].map(async (): Promise<Program> => {
      const { path: folder } = opened.use(temporaryFolder())
      folders.push(folder)
      const variables = { DATABASE_URL: databaseUrl, REDIS_URL: redis?.url ?? '' }
      return opened.use(await startProgram({ folder, content, variables }))
    })
    ;[here, there, further] = (await Promise.all(started)) as [Program, Program, Program]
  })
  afterAll(() => opened.disposeAsync())
  afterEach(() => upstream.answer(answering))

  const administer = (at: Program, path: string, options: AskOptions = {}) =>
    at.ask(`/admin/v1/${path}`, { key: adminKey, ...options })

  async function made(at: Program, path: string, body: object): Promise<Shown> {
    const answer = await administer(at, path, { body })
    expect(answer.status, answer.bytes.toString()).toBe(200)
    return answer.json as Shown
  }

  /** A key that is made here and known to all. */
  async function newKey(terms: object = {}): Promise<Shown> {
    const key = await made(here, 'keys', { name: 'app', ...terms })
    for (const at of [there, further])
      await until(async () => (await at.ask('/v1/models', { key: key.secret })).status === 200)
    return key
  }

  const ask = (at: Program, key: string, body: object = chat) =>
    at.ask('/v1/chat/completions', { body, key })

  /** Asks so often, each in turn, all at once. */
  const askAll = (count: number, key: string) =>
    Promise.all(Array.from({ length: count }, (_, n) => ask(oneOf(n), key)))
  const oneOf = (n: number) => [here, there, further][n % 3] as Program

  const granted = (told: readonly Told[]) => told.filter(({ status }) => status === 200).length

  test('share the request rate of a key', async () => {
    const begun = performance.now()
    const { secret } = await newKey({ requestsPerMinute: 30 })
    const told = await askAll(60, secret)
    const most = Math.floor(30 * (1 + (performance.now() - begun) / 60_000))
    expect(granted(told)).toBeLessThanOrEqual(most)
    expect(granted(told)).toBeGreaterThanOrEqual(30)
    const refused = told.filter(({ status }) => status === 429)
    expect(refused).toHaveLength(60 - granted(told))
    for (const { headers } of refused) expect(Number(headers['retry-after'])).toBeGreaterThan(0)
  })

  test('share its concurrent requests', async () => {
    const { secret } = await newKey({ concurrentRequests: 5 })
    const held: (() => void)[] = []
    upstream.answer((_seen, response) => {
      held.push(() => json(response, chatReply('Hello')))
    })
    const refused: Told[] = []
    const asked = Array.from({ length: 20 }, async (_, n) => {
      const told = await ask(oneOf(n), secret)
      if (told.status === 429) refused.push(told)
      return told
    })
    await until(() => refused.length === 15, 10_000)
    await until(() => held.length === 5, 10_000)
    for (const answer of held) answer()
    expect(granted(await Promise.all(asked))).toBe(5)
    upstream.answer(answering)
    // A place is free a moment after its answer was read.
    await until(async () => granted(await askAll(4, secret)) === 4)
  })

  test('share a budget spent at one replica', async () => {
    const terms = { budgets: [{ limitMicroUsd: 4 * used + each - 1, window: 'month' }] }
    const { secret } = await newKey(terms)
    for (let call = 0; call < 4; call += 1) expect((await ask(here, secret)).status).toBe(200)
    // What is left is less than one may cost.
    for (const at of [there, further]) {
      const refused = await ask(at, secret)
      expect(refused.status).toBe(429)
      expect(refused.json).toMatchObject({ error: { code: 'insufficient_quota' } })
      expect(refused.headers['x-should-retry']).toBe('false')
      const shown = await at.ask('/v1/usage', { key: secret })
      expect(shown.json).toMatchObject({ limits: [{ kind: 'budget', remaining: each - 1 }] })
    }
  })

  test('share a budget under concurrent calls', async () => {
    // There is room for five at once, and what is settled meanwhile lets in more.
    const limit = 5 * each
    const terms = { budgets: [{ limitMicroUsd: limit, window: 'month' }] }
    const { secret } = await newKey(terms)
    const told = await askAll(150, secret)
    expect(granted(told)).toBeGreaterThanOrEqual(5)
    expect(granted(told)).toBeLessThanOrEqual(limit / used)
    expect(new Set(told.map(({ status }) => status))).toEqual(new Set([200, 429]))
    const left = await here.ask('/v1/usage', { key: secret })
    expect(left.json).toMatchObject({
      limits: [{ kind: 'budget', remaining: limit - granted(told) * used }],
    })
  })

  test('reject a key revoked at one replica and end its streams within two seconds', async () => {
    const key = await newKey()
    const streams = await Promise.all(
      clientStreams.map(async (client, n) => {
        const at = n % 2 ? there : further
        const answer = await fetch(at.url + client.path('up/m'), {
          method: 'POST',
          headers: { authorization: `Bearer ${key.secret}`, 'content-type': 'application/json' },
          body: JSON.stringify(client.body('up/m')),
        })
        const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
        let text = ''
        while (client.text(text) !== 'Hello') text += (await reader.read()).value ?? ''
        return { client, reader, text }
      }),
    )
    const ends = streams.map(async ({ client, reader, text }) => {
      let whole = text
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return { client, whole, at: performance.now() }
        whole += value
      }
    })
    const revoked = await administer(here, `keys/${key.id}/revoke`, { method: 'POST' })
    const revokedAt = performance.now()
    expect(revoked.status).toBe(200)
    for (const { client, whole, at } of await Promise.all(ends)) {
      expect(client.isError(whole), whole).toBe(true)
      expect(at - revokedAt, client.name).toBeLessThan(2_000)
    }
    for (const at of [there, further]) expect((await ask(at, key.secret)).status).toBe(401)
  })

  test('read and delete a response stored at another', async () => {
    const { secret: key } = await newKey()
    const body = { model: 'up/m', input: 'Hi' }
    const stored = (await here.ask('/v1/responses', { key, body })).json as Shown
    const path = `/v1/responses/${stored.id}`
    expect((await there.ask(path, { key })).json).toMatchObject({ id: stored.id })
    const next = { ...body, previous_response_id: stored.id }
    const answered = await there.ask('/v1/responses', { key, body: next })
    expect(answered.status, answered.bytes.toString()).toBe(200)
    expect(upstream.seen.at(-1)?.text).toContain('Hello')
    expect((await there.ask(path, { key, method: 'DELETE' })).status).toBe(200)
    for (const at of [here, there]) expect((await at.ask(path, { key })).status).toBe(404)
  })

  test('continue a response stored at another when the upstream lacks Responses', async () => {
    const { secret: key } = await newKey()
    await using chats = await fakeUpstream(answering)
    const up = { type: 'openai', baseUrl: chats.url, key: 'k' } as const
    for (const at of [here, there]) {
      at.configure({ ...content, providers: { ...content.providers, chats: up } })
      const body = { model: 'chats/m', messages: chat.messages, max_tokens: 10 }
      await until(async () => (await ask(at, key, body)).status === 200, 20_000)
    }
    const body = { model: 'chats/m', input: 'Hi' }
    const stored = (await here.ask('/v1/responses', { key, body })).json as Shown
    for (let turn = 0; turn < 2; turn += 1) {
      const next = { ...body, previous_response_id: stored.id }
      const answered = await there.ask('/v1/responses', { key, body: next })
      expect(answered.status, answered.bytes.toString()).toBe(200)
      expect(chats.seen.at(-1)?.text).toContain('Hello')
    }
  })

  test('serve and delete a video created at another', async () => {
    const { secret: key } = await newKey()
    const body = { model: 'builtin-video', prompt: 'a red circle', seconds: '1', size: '64x64' }
    const { id } = (await here.ask('/v1/videos', { key, body })).json as Shown
    await until(async () => {
      const { json: now } = await there.ask(`/v1/videos/${id}`, { key })
      return (now as { status: string }).status === 'completed'
    }, 60_000)
    const clip = await there.ask(`/v1/videos/${id}/content`, { key })
    expect([clip.status, clip.bytes.subarray(4, 8).toString()]).toEqual([200, 'ftyp'])
    expect((await there.ask(`/v1/videos/${id}`, { key, method: 'DELETE' })).status).toBe(200)
    for (const at of [here, there])
      expect((await at.ask(`/v1/videos/${id}/content`, { key })).status).toBe(404)
  }, 90_000)

  test('write one consistent audit log concurrently', async () => {
    const { id } = await made(here, 'teams', { name: 'busy' })
    const changes = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        administer(oneOf(n), `teams/${id}`, {
          method: 'PATCH',
          body: { name: `n${n}` },
        }),
      ),
    )
    expect(new Set(changes.map(({ status }) => status))).toEqual(new Set([200]))
    await using store = await openPostgres({ url: databaseUrl })
    const entries = await store.listAudit({ limit: 10_000 })
    const check = new AuditCheck()
    expect(entries.flatMap((entry) => check.problemOf(entry) ?? [])).toEqual([])
    const ofTeam = entries.filter(({ target }) => target === id)
    expect(ofTeam).toHaveLength(21)
    const before = ofTeam.slice(1).map((entry) => JSON.parse(entry.before ?? '') as object)
    expect(before).toEqual(
      ofTeam.slice(0, -1).map(({ after }) => JSON.parse(after ?? '') as object),
    )
  })

  test('record every call once and leave no journal when all stop', async () => {
    await using before = await openPostgres({ url: databaseUrl })
    const { secret } = await newKey()
    const known = new Set((await before.listUsage({ limit: 10_000 })).map(({ callId }) => callId))
    const asked = Array.from({ length: 60 }, (_, n) => ask(oneOf(n), secret))
    expect(granted(await Promise.all(asked))).toBe(60)
    for (const { exitCode, stderr } of await Promise.all(
      [here, there, further].map((one) => one.end('SIGTERM')),
    ))
      expect([exitCode, stderr]).toEqual([0, ''])
    const records = await before.listUsage({ limit: 10_000 })
    const added = records.filter(({ callId }) => !known.has(callId))
    expect(added.filter(({ outcome }) => outcome === 'completed')).toHaveLength(60)
    const attempts = records.map(({ callId, attempt }) => `${callId} ${attempt}`)
    expect(new Set(attempts).size).toBe(attempts.length)
    for (const folder of folders) expect(readdirSync(join(folder, 'data', 'journal'))).toEqual([])
  })
})
