import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { fakeUpstream, json, sse } from '../../support/fakes/fake-upstream.ts'
import { leaveOut } from '../../support/leave-out.ts'
import { startSluice } from '../../support/run-sluice.ts'
import { noRedis, openRedisServer } from '../../support/servers/redis-server.ts'
import { adminKey, until } from '../../support/start.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const redis = await openRedisServer()
afterAll(() => redis?.[Symbol.asyncDispose]())

/** A dollar for each token that is written. */
const settings = (baseUrl: string) => `providers:
  up: { type: openai, baseUrl: '${baseUrl}', key: k }
prices:
  up/*: { input: 0, output: 1000000 }
models:
  other: up/m
`
const limitMicroUsd = 1_000_000_000
const word = { choices: [{ index: 0, delta: { content: 'word ' }, finish_reason: null }] }

async function serve(folder: string) {
  const variables = { SLUICE_PORT: '0', SLUICE_ADMIN_KEY: adminKey, REDIS_URL: redis?.url ?? '' }
  const program = startSluice(['serve'], { folder, variables })
  const url = await until(() => /listens on (http:[^\s"]+)/.exec(program.output())?.[1], 20_000)
  const ask = async (path: string, key: string, body?: object) =>
    fetch(url + path, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
  return {
    ask,
    /** What is left of the key's budgets, in their order, in dollars. */
    async left(key: string): Promise<number[]> {
      const { limits } = (await (await ask('/v1/usage', key)).json()) as {
        limits: { kind: string; remaining: number }[]
      }
      return limits
        .filter(({ kind }) => kind === 'budget')
        .map(({ remaining }) => remaining / 1_000_000)
    },
    async [Symbol.asyncDispose]() {
      program.child.kill('SIGKILL')
      if (program.child.exitCode === null && program.child.signalCode === null)
        await once(program.child, 'exit')
    },
  }
}

/** What was delivered is on record twice a second. */
async function untilNoted(folder: string): Promise<void> {
  const journal = join(folder, 'data', 'journal')
  await until(() =>
    readdirSync(journal).some((name) => /^N/m.test(readFileSync(join(journal, name), 'utf8'))),
  )
}

const reply = (content: string) => ({
  id: 'c',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 7, total_tokens: 8 },
})

test('settles a killed gateway’s reservations in Redis from the ledger', async (context) => {
  if (!redis) return leaveOut(context, noRedis)
  using folder = temporaryFolder()
  await using upstream = await fakeUpstream(({ body }, response) =>
    (body as { stream?: boolean }).stream !== true
      ? json(response, reply('Hi'))
      : void sse(response, [word, word, word, word], { end: false }),
  )
  writeFileSync(join(folder.path, 'sluice.yaml'), settings(upstream.url))
  const journal = join(folder.path, 'data', 'journal')
  let key = ''
  {
    await using gateway = await serve(folder.path)
    const budgets = [
      { limitMicroUsd, window: 'lifetime' },
      { limitMicroUsd, window: 'month', model: 'up/m' },
      { limitMicroUsd, window: 'day', model: 'elsewhere/*' },
    ]
    const made = await gateway.ask('/admin/v1/keys', adminKey, { name: 'k', budgets })
    key = ((await made.json()) as { secret: string }).secret
    const messages = [{ role: 'user', content: 'Hi' }]
    const done = await gateway.ask('/v1/chat/completions', key, {
      model: 'other',
      messages,
      max_tokens: 100,
    })
    expect(done.status).toBe(200)
    await done.arrayBuffer()
    await expect.poll(() => gateway.left(key)).toEqual([993, 993, 1000])
    const body = { model: 'other', messages, max_tokens: 500, stream: true }
    const open = await gateway.ask('/v1/chat/completions', key, body)
    const reader = open.body?.getReader()
    await reader?.read()
    expect(await gateway.left(key)).toEqual([493, 493, 1000])
    await untilNoted(folder.path)
    reader?.cancel().catch(() => {})
  }
  await using again = await serve(folder.path)
  await expect.poll(() => again.left(key)).not.toEqual([493, 493, 1000])
  const [all = 0, ofModel = 0, other = 0] = await again.left(key)
  const { total } = (await (await again.ask('/v1/usage', key)).json()) as {
    total: { costMicroUsd: number; unsettled?: number }
  }
  // What was delivered: a few words, not the five hundred that were reserved.
  expect(total.costMicroUsd).toBeGreaterThanOrEqual(7_000_000)
  expect(total.costMicroUsd).toBeLessThan(30_000_000)
  expect(all).toBe((limitMicroUsd - total.costMicroUsd) / 1_000_000)
  expect(ofModel).toBe(all)
  expect(other).toBe(1000)
  // The journal of the killed process is not needed any more.
  await expect.poll(() => readdirSync(journal).length).toBe(1)
})

test('settles the reservation of a response still being read after its record was written', async (context) => {
  if (!redis) return leaveOut(context, noRedis)
  using folder = temporaryFolder()
  const long = 'word '.repeat(4_000_000)
  await using upstream = await fakeUpstream(({ body }, response) =>
    json(response, reply((body as { user?: string }).user === 'long' ? long : 'Hi')),
  )
  writeFileSync(join(folder.path, 'sluice.yaml'), settings(upstream.url))
  const messages = [{ role: 'user', content: 'Hi' }]
  const body = { model: 'up/m', messages, max_tokens: 100 }
  let key = ''
  {
    await using gateway = await serve(folder.path)
    const create = async (fields: object) => {
      const made = await gateway.ask('/admin/v1/keys', adminKey, { name: 'k', ...fields })
      return ((await made.json()) as { secret: string }).secret
    }
    key = await create({ budgets: [{ limitMicroUsd, window: 'lifetime' }] })
    const open = await gateway.ask('/v1/chat/completions', key, { ...body, user: 'long' })
    expect(open.status).toBe(200)
    const spent = async () =>
      ((await (await gateway.ask('/v1/usage', key)).json()) as { total: { costMicroUsd: number } })
        .total.costMicroUsd
    await expect.poll(spent).toBe(7_000_000)
    expect(await gateway.left(key)).toEqual([900])
    // As many as fill a segment of the journal; tags make their records long.
    const tags = Array.from({ length: 16 }, (_, number) => `${number}`.padEnd(64, 'x'))
    const other = await create({ tags })
    const segments = () => readdirSync(join(folder.path, 'data', 'journal')).length
    while (segments() < 2)
      await Promise.all(
        Array.from({ length: 100 }, async () =>
          (await gateway.ask('/v1/chat/completions', other, body)).arrayBuffer(),
        ),
      )
    // Segments of which every record was written go.
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    expect(segments()).toBe(2)
    expect(await gateway.left(key)).toEqual([900])
    open.body?.cancel().catch(() => {})
  }
  await using again = await serve(folder.path)
  await expect.poll(() => again.left(key)).toEqual([993])
})

test('settles the reservation of an attempt that follows a charged one', async (context) => {
  if (!redis) return leaveOut(context, noRedis)
  using folder = temporaryFolder()
  await using upstream = await fakeUpstream(({ body: { model } }, response) => {
    if (model !== 'silent') return sse(response, [word, word], { end: false })
  })
  const route = `  again: { targets: [{ target: up/silent }], fallback: [up/m] }
defaults: { timeouts: { headersMs: 300 } }
`
  const prices = '  up/silent: { input: 1000000, output: 1000000 }\n'
  writeFileSync(
    join(folder.path, 'sluice.yaml'),
    settings(upstream.url).replace('models:', `${prices}models:`) + route,
  )
  let key = ''
  {
    await using gateway = await serve(folder.path)
    const budgets = [{ limitMicroUsd, window: 'lifetime' }]
    const made = await gateway.ask('/admin/v1/keys', adminKey, { name: 'k', budgets })
    key = ((await made.json()) as { secret: string }).secret
    const messages = [{ role: 'user', content: 'Hi to all of you' }]
    const body = { model: 'again', messages, max_tokens: 100, stream: true }
    const open = await gateway.ask('/v1/chat/completions', key, body)
    expect(open.status).toBe(200)
    const reader = open.body?.getReader()
    await reader?.read()
    expect((await gateway.left(key))[0]).toBeLessThan(900)
    await untilNoted(folder.path)
    reader?.cancel().catch(() => {})
  }
  await using again = await serve(folder.path)
  await expect.poll(async () => (await again.left(key))[0]).toBeGreaterThan(980)
  const { total } = (await (await again.ask('/v1/usage', key)).json()) as {
    total: { costMicroUsd: number }
  }
  expect(total.costMicroUsd).toBeGreaterThan(0)
  const left = (limitMicroUsd - total.costMicroUsd) / 1_000_000
  await expect.poll(() => again.left(key)).toEqual([left])
})
