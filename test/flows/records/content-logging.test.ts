// Prompts and answers are stored only where it is enabled, and masked.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, describe, expect, test } from 'vitest'
import type { Store } from '../../../packages/gateway/src/ports/store.ts'
import { openPostgres } from '../../../packages/store/src/postgres/open-postgres.ts'
import { openSqlite } from '../../../packages/store/src/sqlite/open-sqlite.ts'
import {
  leaveOutPostgres,
  openTestDatabase,
} from '../../../packages/store/test/postgres/postgres-server.ts'
import { asked, granted } from '../../support/administrate.ts'
import { fakeUpstream, json, sse } from '../../support/fakes/fake-upstream.ts'
import { chatReply, chunk, done, usageChunk } from '../../support/fakes/openai-wire.ts'
import { adminKey, start, type Started, testKey, until } from '../../support/start.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const postgres = await openTestDatabase()
afterAll(() => postgres?.[Symbol.asyncDispose]())
const folders = new DisposableStack()
afterAll(() => folders[Symbol.dispose]())

test('PostgreSQL is available', (context) => {
  if (!postgres) leaveOutPostgres(context)
})

const stores: readonly (readonly [string, () => Promise<Store>])[] = [
  [
    'SQLite',
    async () => openSqlite({ file: join(folders.use(temporaryFolder()).path, 'sluice.db') }),
  ],
  ...(postgres
    ? ([['PostgreSQL', async () => openPostgres({ url: await postgres.newSchema() })]] as const)
    : []),
]

const prompt = 'a-prompt-of-its-own'
const answer = 'an-answer-of-its-own'
const secret = 'jane.doe@mail.example'

/** Says the secret in pieces. */
const events = [
  chunk({ role: 'assistant', content: `${answer} ` }),
  chunk({ content: 'to jane.doe@' }),
  chunk({ content: 'mail.example' }),
  chunk({}, 'stop'),
  usageChunk,
  done,
]

const openUpstream = () =>
  fakeUpstream((seen, response) =>
    seen.body['stream'] === true
      ? sse(response, events)
      : json(response, chatReply(`${answer} to ${secret}`)),
  )

const body = (stream = false) => ({
  model: 'up/gpt',
  stream,
  messages: [{ role: 'user', content: `${prompt}: write to ${secret}` }],
})

async function call(gateway: Started, key: string, stream = false): Promise<string> {
  const response = await gateway.post('/v1/chat/completions', body(stream), { key })
  expect(response.status).toBe(200)
  const text = await response.text()
  // Callers have their answers as they were.
  if (!stream) expect(text).toContain(secret)
  return response.headers.get('x-request-id') ?? ''
}

/** Once the connection is done with the answer it is on its way to be kept. */
function contentOf(gateway: Started, id: string, key = adminKey) {
  return until(async () => {
    const found = await asked(gateway, `GET /admin/v1/requests/${id}/content`, undefined, key)
    return found.status === 200 && found.body
  }, 15_000)
}

describe.each(stores)('content logging on %s', (_name, openStore) => {
  async function open() {
    const stack = new AsyncDisposableStack()
    const upstream = stack.use(await openUpstream())
    const settings = {
      providers: { up: { type: 'openai' as const, baseUrl: upstream.url, key: 'k' } },
    }
    const gateway = stack.use(await start(settings, { store: await openStore() }))
    const made = (body: object) => granted(gateway, 'POST /admin/v1/keys', body)
    return { gateway, made, [Symbol.asyncDispose]: () => stack.disposeAsync() }
  }

  test.each([false, true])('masks the stored prompt and answer (stream: %s)', async (stream) => {
    await using opened = await open()
    const { gateway, made } = opened
    const key = await made({ name: 'kept', contentLogging: true })
    const id = await call(gateway, key.secret, stream)
    const kept = await contentOf(gateway, id)
    expect(kept).toMatchObject({
      callId: id,
      keyId: key.id,
      operation: 'chat',
      format: 'chat',
      requestCut: false,
      answerCut: false,
      masked: 2,
    })
    expect(kept['request']).toContain(prompt)
    expect(kept['answer']).toContain(answer)
    expect(kept['answer']).toContain('[EMAIL]')
    expect(JSON.stringify(kept)).not.toContain('jane')
  })

  test('applies to a team unless a level below forbids it, and the team’s administrator reads the contents', async () => {
    await using opened = await open()
    const { gateway, made } = opened
    const team = await granted(gateway, 'POST /admin/v1/teams', { name: 'a', contentLogging: true })
    const other = await granted(gateway, 'POST /admin/v1/teams', { name: 'b' })
    const kept = await made({ name: 'kept', ownerId: team.id })
    const silent = await made({ name: 'silent', ownerId: team.id, contentLogging: false })
    const administrator = (ownerId: string) =>
      made({ name: 'administrator', role: 'administrator', adminRole: 'team', ownerId })
    const id = await call(gateway, kept.secret)
    const silentId = await call(gateway, silent.secret)
    const own = await contentOf(gateway, id, (await administrator(team.id)).secret)
    expect(own['teamId']).toBe(team.id)
    const foreign = (await administrator(other.id)).secret
    const address = (of: string) => `GET /admin/v1/requests/${of}/content`
    expect((await asked(gateway, address(id), undefined, foreign)).status).toBe(404)
    expect((await asked(gateway, address(silentId))).status).toBe(404)
    const listed = await granted(gateway, 'GET /admin/v1/contents', undefined, foreign)
    expect(listed.data).toEqual([])
  })

  test('writes each reading to the audit log', async () => {
    await using opened = await open()
    const { gateway, made } = opened
    const key = await made({ name: 'kept', contentLogging: true })
    const id = await call(gateway, key.secret)
    await contentOf(gateway, id)
    const listed = await granted(gateway, 'GET /admin/v1/contents')
    expect(listed.data).toHaveLength(1)
    const { data } = await granted(gateway, 'GET /admin/v1/audit?limit=2')
    expect(data).toMatchObject([
      { action: 'content.read', target: 'contents', after: { calls: 1 } },
      { action: 'content.read', target: id },
    ])
  })

  test('exports in pages', async () => {
    await using opened = await open()
    const { gateway, made } = opened
    const key = await made({ name: 'kept', contentLogging: true })
    const ids = [await call(gateway, key.secret), await call(gateway, key.secret)]
    for (const id of ids) await contentOf(gateway, id)
    const seen: unknown[] = []
    let cursor: unknown
    do {
      const next = cursor === undefined ? '' : `&cursor=${String(cursor)}`
      const page = await granted(gateway, `GET /admin/v1/contents?limit=1&key=${key.id}${next}`)
      seen.push(...page.data.map(({ callId }) => callId))
      cursor = page['nextCursor'] ?? undefined
    } while (cursor !== undefined)
    expect(seen).toHaveLength(2)
    expect(new Set(seen)).toEqual(new Set(ids))
  })

  test('erases the contents of a user, and of nobody else', async () => {
    await using opened = await open()
    const { gateway, made } = opened
    const user = await granted(gateway, 'POST /admin/v1/users', {
      name: 'one',
      contentLogging: true,
    })
    const mine = await made({ name: 'mine', ownerId: user.id })
    const another = await made({ name: 'another', contentLogging: true })
    const [own, foreign] = [await call(gateway, mine.secret), await call(gateway, another.secret)]
    for (const id of [own, foreign]) await contentOf(gateway, id)
    const erased = await granted(gateway, 'POST /admin/v1/usage/erase', { user: user.id })
    expect(erased['contents']).toBe(1)
    expect((await asked(gateway, `GET /admin/v1/requests/${own}/content`)).status).toBe(404)
    expect((await asked(gateway, `GET /admin/v1/requests/${foreign}/content`)).status).toBe(200)
  })

  test('deletes contents older than the retention', async () => {
    await using opened = await open()
    const { gateway, made } = opened
    const key = await made({ name: 'kept', contentLogging: true })
    const id = await call(gateway, key.secret)
    await contentOf(gateway, id)
    await gateway.gateway.contents.forgetOld()
    expect(await gateway.gateway.store.contents.find(id)).toBeDefined()
    const old = {
      ...(await gateway.gateway.store.contents.find(id)),
      callId: 'old',
      createdAt: Date.now() - 31 * 86_400_000,
    }
    await gateway.gateway.store.contents.add([JSON.stringify(old)])
    await gateway.gateway.contents.forgetOld()
    expect(await gateway.gateway.store.contents.find('old')).toBeUndefined()
    expect(await gateway.gateway.store.contents.find(id)).toBeDefined()
  })
})

test('stores no content in any table where content logging is off', async () => {
  await using upstream = await openUpstream()
  using folder = temporaryFolder()
  {
    await using gateway = await start(
      { providers: { up: { type: 'openai', baseUrl: upstream.url, key: 'k' } } },
      { dataFolder: folder.path },
    )
    for (const stream of [false, true]) {
      const id = await call(gateway, testKey, stream)
      await until(() => gateway.logged.some(({ fields }) => fields['id'] === id))
      const found = await asked(gateway, `GET /admin/v1/requests/${id}/content`)
      expect(found.status).toBe(404)
    }
  }
  using database = new DatabaseSync(join(folder.path, 'sluice.db'))
  const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()
  expect(tables.length).toBeGreaterThan(8)
  let rows = 0
  for (const { name } of tables)
    for (const row of database.prepare(`SELECT * FROM "${String(name)}"`).all()) {
      rows += 1
      const values = Object.values(row).map((value) =>
        value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value),
      )
      for (const marker of [prompt, answer, secret]) expect(values.join(' ')).not.toContain(marker)
    }
  expect(rows).toBeGreaterThan(2)
})

test('can be enabled for a key of sluice.yaml, and truncates long contents', async () => {
  await using upstream = await fakeUpstream((_seen, response) =>
    json(response, chatReply(`${answer} ${'long '.repeat(2_000)}`)),
  )
  await using gateway = await start({
    providers: { up: { type: 'openai', baseUrl: upstream.url, key: 'k' } },
    keys: [{ name: 'kept', key: 'sk-kept0123456789abcdef', contentLogging: true }],
    contentLogging: { bytesMax: 1_024 },
  })
  const messages = [{ role: 'user', content: `${prompt} ${'long '.repeat(2_000)}` }]
  const response = await gateway.post(
    '/v1/chat/completions',
    { model: 'up/gpt', messages },
    { key: 'sk-kept0123456789abcdef' },
  )
  await response.text()
  const kept = await contentOf(gateway, response.headers.get('x-request-id') ?? '')
  expect(kept).toMatchObject({ requestCut: true, answerCut: true })
  for (const name of ['request', 'answer'])
    expect(String(kept[name]).length).toBeLessThanOrEqual(1_024)
  expect(kept['request']).toContain(prompt)
})

test('stores the error answer of a call that the upstream rejected', async () => {
  await using upstream = await fakeUpstream((_seen, response) =>
    json(response, { error: { message: 'no', type: 'invalid_request_error' } }, { status: 400 }),
  )
  await using gateway = await start({
    providers: { up: { type: 'openai', baseUrl: upstream.url, key: 'k' } },
  })
  const key = await granted(gateway, 'POST /admin/v1/keys', { name: 'kept', contentLogging: true })
  const response = await gateway.post('/v1/chat/completions', body(), { key: key.secret })
  expect(response.status).toBe(400)
  const kept = await contentOf(gateway, response.headers.get('x-request-id') ?? '')
  expect(JSON.parse(String(kept['answer']))).toMatchObject({
    error: { type: 'invalid_request_error' },
  })
})
