// Webhook alerts: sent once, signed, repeated until they are accepted, and without delaying any call.
import { webcrypto } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import type { ConfigFile } from '../../../packages/sluice/src/config/schema.ts'
import type { Budget } from '../../../packages/gateway/src/ports/account.ts'
import {
  type Answering,
  fakeUpstream,
  json,
  type SeenRequest,
} from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { ownedKey, siblingKey, writeOwners } from '../../support/gateways/owners.ts'
import { type Started, type StartOptions, start, until } from '../../support/start.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const secret = `whsec_${Buffer.from('a secret of at least 24 bytes').toString('base64')}`
/** One millionth of a dollar for each token of a response, and nothing for those of a prompt. */
const prices = { 'up/*': { input: 0, output: 1 } }
const usage = { prompt_tokens: 0, completion_tokens: 10, total_tokens: 10 }
const answer = { ...chatReply('Hello'), usage }

const budget = (limitMicroUsd: number, further: Partial<Budget> = {}): Budget => ({
  id: 'b1',
  window: 'month',
  limitMicroUsd,
  ...further,
})

interface Message {
  readonly type: string
  readonly timestamp: string
  readonly data: Readonly<Record<string, unknown>>
}

const said = ({ body }: SeenRequest) => body as unknown as Message
const types = (seen: readonly SeenRequest[]) => seen.map((one) => said(one).type)
const takes: Answering = (_seen, response) => void response.writeHead(204).end()

interface Staging {
  readonly budgets?: readonly Budget[]
  readonly content?: ConfigFile
  readonly options?: StartOptions
  readonly events?: NonNullable<NonNullable<ConfigFile['alerts']>['webhooks']>[number]['events']
}

async function stage({ budgets = [], content = {}, options = {}, events }: Staging) {
  await using opened = new AsyncDisposableStack()
  const { path: dataFolder } = opened.use(temporaryFolder())
  await writeOwners(dataFolder, { team: { budgets } })
  const upstream = opened.use(await fakeUpstream((_seen, response) => json(response, answer)))
  const receiver = opened.use(await fakeUpstream(takes))
  const settings: ConfigFile = {
    prices,
    defaults: { retries: { attempts: 1 } },
    providers: { up: { type: 'openai', baseUrl: upstream.url, key: 'k' } },
    ...content,
    alerts: {
      ...content.alerts,
      webhooks: [{ url: `${receiver.url}/hook`, secret, ...(events && { events }) }],
    },
  }
  const gateways = opened.use(new AsyncDisposableStack())
  const open = async () => gateways.use(await start(settings, { dataFolder, ...options }))
  const gateway = await open()
  const moved = opened.move()
  const ask = async (
    max_tokens = 1,
    { key = ownedKey, model = 'up/m', through = gateway } = {},
  ) => {
    const body = { model, max_tokens, messages: [{ role: 'user', content: 'Hi' }] }
    const answer = await through.post('/v1/chat/completions', body, { key })
    await answer.arrayBuffer()
    return answer.status
  }
  return {
    upstream,
    receiver,
    gateway,
    open,
    ask,
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  }
}

function opened(file: string): DatabaseSync & Disposable {
  return Object.assign(new DatabaseSync(file), {
    [Symbol.dispose](this: DatabaseSync) {
      this.close()
    },
  })
}

/** As a receiver checks a message by the specification, with another implementation of the code. */
async function isSigned({ headers, text }: SeenRequest, by = secret): Promise<boolean> {
  const id = headers['webhook-id'] ?? ''
  const seconds = headers['webhook-timestamp'] ?? ''
  const [version, signature = ''] = (headers['webhook-signature'] ?? '').split(',')
  if (version !== 'v1' || Math.abs(Date.now() / 1_000 - Number(seconds)) > 300) return false
  const key = await webcrypto.subtle.importKey(
    'raw',
    Buffer.from(by.replace('whsec_', ''), 'base64'),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['verify'],
  )
  return webcrypto.subtle.verify(
    'HMAC',
    key,
    Buffer.from(signature, 'base64'),
    Buffer.from(`${id}.${seconds}.${text}`),
  )
}

/** What a gateway's attempts to keep a message have come to. */
function addedTo({ gateway }: Started): readonly Promise<boolean>[] {
  const added: Promise<boolean>[] = []
  const { store } = gateway
  const add = store.addAlert.bind(store)
  Object.assign(store, {
    addAlert(...args: Parameters<typeof add>) {
      const one = add(...args)
      added.push(one)
      return one
    },
  })
  return added
}

/** Until a gateway has looked at the budgets that its calls have used. */
async function looked({ gateway }: Started): Promise<void> {
  const { limiter } = gateway
  const look = limiter.look.bind(limiter)
  let isOver = false
  Object.assign(limiter, {
    look(...args: Parameters<typeof look>) {
      isOver = true
      return look(...args)
    },
  })
  await until(() => isOver)
}

describe('budget alerts', () => {
  test('send 80 percent, spent and refused once each', async () => {
    await using staged = await stage({ budgets: [budget(100)] })
    const { ask, receiver, gateway } = staged
    // What is only put aside is not told of, nor 70 %: the first message says 80.
    expect(await ask(90)).toBe(200)
    for (let count = 0; count < 6; count += 1) expect(await ask()).toBe(200)
    await looked(gateway)
    expect(await ask()).toBe(200)
    await until(() => receiver.seen.length === 1)
    const [warning] = receiver.seen
    if (!warning) throw new Error('Nothing was told')
    expect(await isSigned(warning)).toBe(true)
    expect(await isSigned({ ...warning, text: `${warning.text} ` })).toBe(false)
    expect(warning.headers['content-type']).toBe('application/json')
    expect(said(warning)).toMatchObject({
      type: 'budget.warning',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
      data: {
        holder: { kind: 'team', id: 'team_1', name: 'some team' },
        budget: { id: 'b1', window: 'month', limitMicroUsd: 100 },
        usedMicroUsd: 80,
        percent: 80,
        until: expect.stringMatching(/-01T00:00:0\d/) as string,
      },
    })
    expect([await ask(), await ask(), await ask(), await ask()]).toEqual([200, 200, 429, 429])
    await until(() => receiver.seen.length === 3)
    expect(types(receiver.seen).toSorted()).toEqual([
      'budget.refused',
      'budget.spent',
      'budget.warning',
    ])
  })

  test('are sent by one of several gateways at one database, and not again after a restart', async () => {
    await using staged = await stage({ budgets: [budget(100)], events: ['budget.warning'] })
    const { ask, receiver, gateway, open } = staged
    for (let count = 0; count < 8; count += 1) expect(await ask()).toBe(200)
    await gateway.gateway.store.flush()
    // Each of them finds what was spent in the ledger, and sees that it is near the limit.
    for (const through of [await open(), await open()]) {
      const told = addedTo(through)
      expect(await ask(1, { through })).toBe(200)
      await until(() => told.length === 1)
      expect(await told[0]).toBe(false)
    }
    await until(() => receiver.seen.length > 0)
    expect(types(receiver.seen)).toEqual(['budget.warning'])
  })
})

describe('a webhook', () => {
  test('that fails is retried with the same id and a new signature', async () => {
    await using staged = await stage({ budgets: [budget(10)], events: ['budget.spent'] })
    const { receiver, ask, gateway } = staged
    const answers: Answering[] = [
      (_seen, response) => void response.writeHead(500).end(),
      (_seen, response) => void response.destroy(),
      (_seen, response) => void response.writeHead(302, { location: `${receiver.url}/x` }).end(),
      takes,
    ]
    receiver.answer((seen, response, request) =>
      (answers.shift() ?? takes)(seen, response, request),
    )
    expect(await ask()).toBe(200)
    await until(() => receiver.seen.length === 4)
    expect(new Set(receiver.seen.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(new Set(receiver.seen.map(({ path }) => path))).toEqual(new Set(['/hook']))
    for (const one of receiver.seen) expect(await isSigned(one)).toBe(true)
    const lines = gateway.logged.filter(({ message }) => message.startsWith('a webhook was not'))
    expect(lines.map(({ fields }) => [fields['tries'], fields['reason']])).toEqual([
      [1, 'status 500'],
      [2, 'UND_ERR_SOCKET'],
      [3, 'status 302'],
    ])
    expect(JSON.stringify(gateway.logged)).not.toContain(secret)
  })

  test('that always fails is given up after the last retry', async () => {
    await using staged = await stage({ budgets: [budget(10)], events: ['budget.spent'] })
    const { receiver, ask, gateway } = staged
    receiver.answer((_seen, response) => void response.writeHead(503).end())
    expect(await ask()).toBe(200)
    const isGivenUp = ({ message }: { message: string }) => message.endsWith('is given up')
    await until(() => gateway.logged.some(isGivenUp))
    expect(receiver.seen).toHaveLength(5)
    const due = { webhooks: ['any'], now: Number.MAX_SAFE_INTEGER, limit: 10 }
    expect(await gateway.gateway.store.dueAlerts(due)).toEqual([])
  })

  test('that hangs does not delay calls', async () => {
    await using staged = await stage({ budgets: [budget(100)] })
    const { receiver, ask } = staged
    receiver.answer(() => {})
    for (let count = 0; count < 10; count += 1) expect(await ask()).toBe(200)
    await until(() => receiver.seen.length > 0)
    expect(await ask(1, { model: 'builtin-chat', key: siblingKey })).toBe(429)
  })

  test('that hangs does not delay other webhooks', async () => {
    await using other = await fakeUpstream(takes)
    await using hanging = await fakeUpstream(() => {})
    await using upstream = await fakeUpstream((_seen, response) =>
      json(response, chatReply('Hello')),
    )
    const webhooks = [hanging, other].map(({ url }) => ({ url, secret }))
    await using gateway = await start({
      prices: {},
      providers: { up: { type: 'openai', baseUrl: upstream.url, key: 'k' } },
      alerts: { webhooks },
    })
    for (const model of ['up/a', 'up/b', 'up/c']) {
      const body = { model, messages: [{ role: 'user', content: 'Hi' }] }
      expect((await gateway.post('/v1/chat/completions', body)).status).toBe(200)
      await until(() => other.seen.some(({ text }) => text.includes(`"target":"${model}"`)))
    }
    expect(hanging.seen).toHaveLength(1)
  })

  test('that hangs during shutdown is retried by the next gateway without counting the attempt', async () => {
    // Tried once, and once more.
    const options = { alertWaitsMs: [50] }
    await using staged = await stage({ budgets: [budget(10)], events: ['budget.spent'], options })
    const { receiver, ask, gateway, open } = staged
    receiver.answer(() => {})
    expect(await ask()).toBe(200)
    await until(() => receiver.seen.length === 1)
    await gateway[Symbol.asyncDispose]()
    receiver.answer((_seen, response) => void response.writeHead(500).end())
    await open()
    await until(() => receiver.seen.length === 3, 20_000)
    expect(gateway.logged.filter(({ message }) => message.includes('webhook'))).toEqual([])
  })

  test('gets the alerts left by a gateway that stopped', async () => {
    await using staged = await stage({
      budgets: [budget(10)],
      events: ['budget.spent'],
      options: { alertWaitsMs: [1_000, 1_000] },
    })
    const { receiver, ask, gateway, open } = staged
    receiver.answer((_seen, response) => void response.writeHead(500).end())
    expect(await ask()).toBe(200)
    await until(() => receiver.seen.length === 1)
    await until(() => gateway.logged.some(({ message }) => message.includes('tried again')))
    await gateway[Symbol.asyncDispose]()
    receiver.answer(takes)
    await open()
    await until(() => receiver.seen.length === 2, 20_000)
    expect(types(receiver.seen)).toEqual(['budget.spent', 'budget.spent'])
  })
})

describe('further alerts', () => {
  test('report a target whose breaker is open for all keys, once', async () => {
    const breaker = { failures: 2, windowMs: 60_000, cooldownMs: 1 }
    await using staged = await stage({
      content: { defaults: { retries: { attempts: 1 }, breaker } },
      events: ['provider.down'],
    })
    const { upstream, receiver, ask } = staged
    upstream.answer((_seen, response) =>
      json(response, { error: { message: 'no' } }, { status: 500 }),
    )
    for (let count = 0; count < 3; count += 1)
      for (const key of [ownedKey, siblingKey]) expect(await ask(1, { key })).toBeGreaterThan(499)
    await until(() => receiver.seen.length > 0)
    expect(receiver.seen.map(said)).toMatchObject([
      { type: 'provider.down', data: { target: 'up/m' } },
    ])
  })

  test('report a high error rate, without counting invalid requests', async () => {
    await using staged = await stage({
      content: { alerts: { errorRate: { percent: 50, calls: 8 } } },
      events: ['errors.rate'],
    })
    const { upstream, receiver, ask } = staged
    for (let count = 0; count < 4; count += 1) expect(await ask()).toBe(200)
    for (let count = 0; count < 4; count += 1)
      expect(await ask(1, { model: 'nowhere/m' })).toBe(404)
    upstream.answer((_seen, response) =>
      json(response, { error: { message: 'no' } }, { status: 500 }),
    )
    for (let count = 0; count < 7; count += 1) expect(await ask()).toBeGreaterThan(499)
    expect(receiver.seen).toEqual([])
    expect(await ask()).toBeGreaterThan(499)
    await until(() => receiver.seen.length > 0)
    expect(receiver.seen.map(said)).toMatchObject([
      { type: 'errors.rate', data: { calls: 16, failed: 8, minutes: 5 } },
    ])
  })

  test('report a target without a price', async () => {
    await using staged = await stage({ content: { prices: {} }, events: ['price.unknown'] })
    expect(await staged.ask()).toBe(200)
    await until(() => staged.receiver.seen.length > 0)
    expect(staged.receiver.seen.map(said)).toMatchObject([
      { type: 'price.unknown', data: { target: 'up/m', reason: 'it has no price' } },
    ])
  })

  test('report usage records that the database does not take, once, and the records are written later', async () => {
    await using staged = await stage({ events: ['journal.behind'] })
    const { receiver, gateway, ask } = staged
    expect(await ask()).toBe(200)
    await gateway.gateway.store.flush()
    using database = opened(join(gateway.dataFolder, 'sluice.db'))
    // As when a column is missing or the disk is full: the database answers, and takes no record.
    database.exec('ALTER TABLE usage_records RENAME TO usage_records_elsewhere')
    for (let count = 0; count < 3; count += 1) expect(await ask()).toBe(200)
    await until(() => receiver.seen.length > 0, 20_000)
    expect(receiver.seen.map(said)).toMatchObject([
      {
        type: 'journal.behind',
        data: { reason: expect.stringContaining('usage_records'), lost: 0 },
      },
    ])
    expect(Number(said(receiver.seen[0]!).data['waiting'])).toBeGreaterThan(0)
    expect(await isSigned(receiver.seen[0]!)).toBe(true)
    expect(await ask()).toBe(200)
    database.exec('ALTER TABLE usage_records_elsewhere RENAME TO usage_records')
    await until(async () => {
      await gateway.gateway.store.flush().catch(() => {}) // A write that began before may fail.
      return (await gateway.gateway.store.listUsage({ limit: 99 })).length === 5
    }, 20_000)
    expect(receiver.seen).toHaveLength(1)
  })

  test('are sent only for the events that a webhook subscribes to', async () => {
    await using staged = await stage({ budgets: [budget(10)], events: ['budget.spent'] })
    expect(await staged.ask()).toBe(200)
    await until(() => staged.receiver.seen.length > 0)
    expect(types(staged.receiver.seen)).toEqual(['budget.spent'])
  })
})

describe('rejects invalid webhook settings', () => {
  test.each([
    [{ url: 'ftp://example.com', secret }, 'alerts.webhooks[0].url must be an http or https URL'],
    [{ url: 'https://a:b@example.com', secret }, 'alerts.webhooks[0].url'],
    [{ url: 'https://example.com', secret: 'whsec_c2hvcnQ=' }, 'alerts.webhooks[0].secret must be'],
    [{ url: 'https://example.com', secret: 'no prefix at all' }, 'alerts.webhooks[0].secret'],
  ])('%o', async (webhook, sentence) => {
    const starting = start({ alerts: { webhooks: [webhook] } })
    await expect(starting).rejects.toThrow(sentence)
  })
})
