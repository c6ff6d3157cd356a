// Concurrent calls of every operation at two gateways, some canceled, under budgets of every level: each budget agrees
// with the ledger and is never exceeded, and every export has the same sums.
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { costOf, joinMoney, moneyOfMicroUsd } from '../../../packages/contract/src/core/money.ts'
import type { UsageRecord } from '../../../packages/contract/src/core/usage.ts'
import type { ConfigFile } from '../../../packages/sluice/src/config/schema.ts'
import type { Budget } from '../../../packages/gateway/src/ports/account.ts'
import { type Answering, fakeUpstream, json, sse } from '../../support/fakes/fake-upstream.ts'
import { chatReply, chunk, done } from '../../support/fakes/openai-wire.ts'
import { addOwners, ownedKey, siblingKey } from '../../support/gateways/owners.ts'
import { leaveOut } from '../../support/leave-out.ts'
import { onEachDatabase } from '../../support/servers/databases.ts'
import { noRedis, openRedisServer } from '../../support/servers/redis-server.ts'
import { adminKey, type Started, start, until } from '../../support/start.ts'

const redis = await openRedisServer()
afterAll(() => redis?.[Symbol.asyncDispose]())
test('Redis is available', (context) => {
  if (!redis) leaveOut(context, noRedis)
})

/**
 * The upstream never uses more than what is put aside, so that no budget may be exceeded at all. Most amounts are not of whole
 * millionths of a dollar, and all are of whole nanodollars, in which budgets are counted.
 */
const prices: ConfigFile['prices'] = {
  '*': {
    input: 4.021,
    cacheRead: 0.507,
    output: 10.003,
    reasoning: 20.003,
    audioInput: 8,
    characters: 15.009,
    audioSeconds: 0.000100001,
    images: 0.0002,
    searchUnits: 0.0003,
    videoSeconds: 0.0004,
  },
  'dear/*': { output: 30, reasoning: 60 },
}

const budgets = {
  key: { id: 'k', window: 5, limitMicroUsd: 9_000, tag: 'trial' },
  user: { id: 'u', window: 'day', limitMicroUsd: 12_000, model: 'up/*' },
  team: { id: 't', window: 'month', limitMicroUsd: 30_000 },
  organization: { id: 'o', window: 'lifetime', limitMicroUsd: 25_000 },
} as const satisfies Readonly<Record<string, Budget>>

const counts: Readonly<Record<keyof typeof budgets, (record: UsageRecord) => boolean>> = {
  key: ({ keyId, tags }) => keyId === 'key_owned' && tags?.includes('trial') === true,
  user: ({ provider, requestedModel }) =>
    provider === 'up' || requestedModel?.startsWith('up/') === true,
  team: () => true,
  organization: () => true,
}

let turn = 0
/** Every seventh call fails, every thirteenth is never answered and every fourth is slow; of streams some break off. */
const upstreamAnswers: Answering = async (seen, response) => {
  turn += 1
  const { body, path } = seen
  const most = Number(body['max_tokens'] ?? 1)
  if (turn % 4 === 0) await pause(30)
  if (turn % 13 === 0) return
  if (turn % 7 === 0) return json(response, { error: { message: 'no' } }, { status: 500 })
  const usage = {
    prompt_tokens: 4,
    completion_tokens: Math.max(1, most - (turn % 5)),
    prompt_tokens_details: { cached_tokens: 2 },
    completion_tokens_details: { reasoning_tokens: 0 },
  }
  if (path.endsWith('/chat/completions')) {
    if (body['stream'] !== true) return json(response, chatReply('Hello', { usage }))
    await sse(response, [chunk({ role: 'assistant', content: 'He' })], { end: false })
    await pause(turn % 3 === 0 ? 40 : 1)
    if (turn % 11 === 0) return void response.destroy()
    return sse(response, [
      chunk({ content: 'llo' }),
      chunk({}, 'stop'),
      { ...chunk({}), choices: [], usage },
      done,
    ])
  }
  if (path.endsWith('/embeddings'))
    return json(response, {
      object: 'list',
      model: 'm',
      data: [{ object: 'embedding', index: 0, embedding: [0.5] }],
      usage: { prompt_tokens: 4, total_tokens: 4 },
    })
  if (path.endsWith('/images/generations'))
    return json(response, { created: 1, data: [{ b64_json: 'QQ==' }] })
  if (path.endsWith('/audio/speech')) {
    response.writeHead(200, { 'content-type': 'audio/mpeg' })
    response.end('sound')
    return
  }
  if (path.endsWith('/audio/transcriptions'))
    return json(response, { text: 'Hello', usage: { type: 'duration', seconds: 1 } })
  if (path.endsWith('/rerank'))
    return json(response, {
      id: '1',
      results: [{ index: 0, relevance_score: 0.5 }],
      meta: { billed_units: { search_units: 1 } },
    })
  return json(response, {
    id: 'video_1',
    object: 'video',
    model: 'm',
    status: 'queued',
    progress: 0,
    created_at: 1,
    size: '720x1280',
    seconds: String(body['seconds'] ?? 4),
  })
}

const messages = [{ role: 'user', content: 'Hello to you' }]

function transcription(): FormData {
  const form = new FormData()
  form.set('model', 'up/heard')
  form.set('file', new Blob([new Uint8Array(4_000)]), 'a.wav')
  return form
}

type Asked = readonly [path: string, body: object | (() => FormData)]
const asked: readonly Asked[] = [
  ['/v1/chat/completions', { model: 'up/m', max_tokens: 30, messages }],
  ['/v1/chat/completions', { model: 'up/m', max_tokens: 40, messages, stream: true }],
  ['/v1/chat/completions', { model: 'both', max_tokens: 20, messages, stream: true }],
  ['/v1/chat/completions', { model: 'hedged', max_tokens: 15, messages }],
  ['/v1/embeddings', { model: 'up/m', input: 'Hello to all of you' }],
  ['/v1/images/generations', { model: 'dear/m', prompt: 'A house' }],
  ['/v1/audio/speech', { model: 'up/m', voice: 'alloy', input: 'Hello to all of you' }],
  ['/v1/audio/transcriptions', transcription],
  ['/v1/rerank', { model: 'ranks/m', query: 'a', documents: ['a', 'b'] }],
  ['/v1/videos', { model: 'dear/m', prompt: 'A house', seconds: '4' }],
  ['/v1/messages', { model: 'up/m', max_tokens: 25, messages }],
]

/** Returns the status; 0 of a call that its caller left. */
async function call(gateway: Started, at: number): Promise<number> {
  const [path, given] = asked[at % asked.length] ?? ['', {}]
  const leaving = at % 5 === 0 ? AbortSignal.timeout((at % 9) * 8) : undefined
  const body = typeof given === 'function' ? given() : JSON.stringify(given)
  try {
    const answer = await gateway.request(path, {
      method: 'POST',
      body,
      key: at % 3 === 0 ? siblingKey : ownedKey,
      headers: {
        ...(typeof given !== 'function' && { 'content-type': 'application/json' }),
        ...(at % 2 === 0 && { 'x-sluice-tags': 'trial' }),
      },
      ...(leaving && { signal: leaving }),
    })
    await answer.arrayBuffer()
    return answer.status
  } catch {
    if (leaving?.aborted === true) return 0
    // A stream that breaks off is no error of the test's.
    return 200
  }
}

/** In picodollars, as all amounts here. */
async function spent(gateway: Started): Promise<Readonly<Record<string, bigint>>> {
  const said = await gateway.request('/admin/v1/budgets', { key: adminKey })
  const { data } = (await said.json()) as {
    data: {
      holder: { id: string; kind: string }
      limitMicroUsd: number
      remainingMicroUsd: number
    }[]
  }
  return Object.fromEntries(
    data
      .filter(({ holder }) => holder.id !== 'key_sibling')
      .map(({ holder, limitMicroUsd, remainingMicroUsd }) => [
        holder.kind,
        BigInt(limitMicroUsd) * 1_000_000n - moneyOfMicroUsd(remainingMicroUsd),
      ]),
  )
}

const records = async ({ gateway }: Started) => {
  await gateway.store.flush()
  return gateway.store.listUsage({ limit: 9_999 })
}

/** The records, once no more of them come. */
async function settledRecords(gateways: readonly Started[]): Promise<readonly UsageRecord[]> {
  let before = -1
  return until(async () => {
    await pause(300)
    for (const { gateway } of gateways) await gateway.store.flush()
    const found = await records(gateways[0] as Started)
    if (found.length === before) return found
    before = found.length
    return false
  }, 20_000)
}

/** Of an unknown cost what was reserved. */
function countedOf(record: UsageRecord): bigint {
  const { reservedMicroUsd = 0, reservedRestPicoUsd } = record
  return costOf(record) ?? joinMoney(reservedMicroUsd, reservedRestPicoUsd)
}

const added = (amounts: readonly bigint[]) => amounts.reduce((sum, amount) => sum + amount, 0n)

function expectedOf(all: readonly UsageRecord[]): Readonly<Record<string, bigint>> {
  return Object.fromEntries(
    Object.entries(counts).map(([kind, isCounted]) => [
      kind,
      added(all.filter(isCounted).map(countedOf)),
    ]),
  )
}

/** Of every export the sum of what was spent. */
async function exported(gateway: Started): Promise<readonly bigint[]> {
  const get = async (path: string) =>
    (await gateway.request(`/admin/v1/usage${path}`, { key: adminKey })).text()
  const lines = (text: string) =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  const total = (rows: readonly { costMicroUsd: number | null }[]) =>
    added(rows.map(({ costMicroUsd }) => moneyOfMicroUsd(costMicroUsd ?? 0)))
  const csv = (text: string) => {
    const [head = '', ...rows] = text.trim().split('\r\n')
    const at = head.split(',').indexOf('costMicroUsd')
    return added(rows.map((row) => moneyOfMicroUsd(Number(row.split(',')[at]))))
  }
  return [
    moneyOfMicroUsd(JSON.parse(await get('')).total.costMicroUsd),
    total(JSON.parse(await get('?by=key,operation')).data),
    total(lines(await get('?by=hour,model&format=jsonl'))),
    csv(await get('?by=provider&format=csv')),
    total(lines(await get('/records?format=jsonl'))),
  ]
}

onEachDatabase((newData) => {
  describe.each(redis ? ['memory', 'Redis'] : ['memory'])('with limits in %s', (limits) => {
    test('concurrent calls of every operation never exceed budgets, which agree with the ledger', async () => {
      await using data = await newData()
      {
        await using store = await data.openStore()
        const levels = Object.entries(budgets).map(([kind, one]) => [kind, { budgets: [one] }])
        await addOwners(store, Object.fromEntries(levels))
      }
      if (limits === 'Redis') {
        await redis?.kill()
        await redis?.start({ empty: true })
      }
      await using upstream = await fakeUpstream(upstreamAnswers)
      const openai = { type: 'openai' as const, baseUrl: upstream.url, key: 'k' }
      const content: ConfigFile = {
        prices,
        providers: {
          up: openai,
          dear: openai,
          ranks: { type: 'cohere', baseUrl: upstream.url, key: 'k' },
        },
        defaults: {
          retries: { attempts: 2, baseMs: 1, maxMs: 1 },
          timeouts: { headersMs: 1_000 },
        },
        models: {
          both: { targets: [{ target: 'dear/m' }, { target: 'up/m', priority: 1 }] },
          hedged: {
            targets: [{ target: 'up/m' }, { target: 'dear/m', priority: 1 }],
            hedge: { enabled: true, delayMs: 10 },
          },
        },
        ...(limits === 'Redis' && { redis: { url: redis?.url ?? '', timeoutMs: 3_000 } }),
      }
      const open = async () => start(content, { ...data.options, store: await data.openStore() })
      await using first = await open()
      // Limits in memory are those of one gateway.
      await using second = limits === 'Redis' ? await open() : undefined
      const gateways = [first, ...(second ? [second] : [])]
      const statuses: number[] = []
      let next = 0
      const caller = async () => {
        while (next < 400) {
          const at = next++
          statuses.push(await call(gateways[at % gateways.length] ?? first, at))
        }
      }
      await Promise.all(Array.from({ length: 12 }, caller))
      expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(20)
      expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(40)

      const isOver = () => upstream.seen.every((seen) => seen.isOver)
      await until(isOver, 20_000)
      const all = await settledRecords(gateways)
      const expected = expectedOf(all)
      for (const gateway of gateways)
        await expect.poll(() => spent(gateway), { timeout: 10_000 }).toEqual(expected)
      for (const [kind, { limitMicroUsd }] of Object.entries(budgets))
        expect(expected[kind], kind).toBeLessThanOrEqual(BigInt(limitMicroUsd) * 1_000_000n)
      const known = added(all.map((record) => costOf(record) ?? 0n))
      expect(known % 1_000_000n).not.toBe(0n)
      expect(await exported(first)).toEqual([known, known, known, known, known])

      if (limits === 'Redis') {
        await redis?.kill()
        await redis?.start({ empty: true })
      }
      await using after = await open()
      await expect.poll(() => spent(after), { timeout: 10_000 }).toEqual(expected)
    }, 120_000)
  })
})
