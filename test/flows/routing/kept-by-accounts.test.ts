// What an upstream keeps is known only to the account that made it: later calls that name it go to the same provider with the same key.
import { describe, expect, test } from 'vitest'
import {
  type Answering,
  type FakeUpstream,
  fakeUpstream,
  json,
  type SeenRequest,
  sse,
} from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { answerResponse, messageItem, reasoningItem } from '../../support/fakes/responses-wire.ts'
import type { Routes } from '../../support/routes.ts'
import { type Started, start } from '../../support/start.ts'

const keyOf = ({ headers }: SeenRequest) =>
  headers['authorization']?.replace('Bearer ', '') ?? headers['x-api-key'] ?? ''

const refusal = (message: string) => ({
  error: { message, type: 'invalid_request_error', param: null, code: 'not_found' },
})

/** Knows only what was made with the same key. */
function accountsOf(name: string): Answering {
  const made = new Map<string, string>()
  return (seen, response) => {
    const key = `${name} ${keyOf(seen)}`
    const { previous_response_id: previous, input } = seen.body
    const items = Array.isArray(input) ? (input as readonly Record<string, unknown>[]) : []
    const sealed = items.flatMap(({ encrypted_content: one }) =>
      typeof one === 'string' ? [one] : [],
    )
    const foreign = [...(typeof previous === 'string' ? [previous] : []), ...sealed].find(
      (id) => made.get(id) !== key,
    )
    if (foreign !== undefined)
      return json(response, refusal(`${foreign} not found`), { status: 400 })
    const content = `sealed by ${key} ${made.size}`
    made.set(content, key)
    return answerResponse(seen, response, [reasoningItem('Hm', content), messageItem('Hello')], {
      made: (id: string) => made.set(id, key),
    })
  }
}

const openai = ({ url }: FakeUpstream, keys: readonly string[]) => ({
  type: 'openai-responses' as const,
  baseUrl: url,
  keys: [...keys],
})

const settings = (providers: NonNullable<Routes['providers']>, further: Routes = {}): Routes => ({
  providers,
  defaults: { retries: { attempts: 2, baseMs: 1 } },
  ...further,
})

interface Answered {
  readonly status: number
  readonly id: string
  readonly output: readonly object[]
  readonly retryAfter: string | null
}

async function respond(gateway: Started, body: object): Promise<Answered> {
  const answer = await gateway.post('/v1/responses', { model: 'up/m', input: 'Hi', ...body })
  const text = await answer.text()
  const last = text.startsWith('{')
    ? text
    : /data: (\{"type":"response\.completed".*)/.exec(text)?.[1]
  const document = JSON.parse(last ?? '{}') as Record<string, unknown>
  const { id = '', output = [] } = (document['response'] ?? document) as Partial<Answered>
  return { status: answer.status, id, output, retryAfter: answer.headers.get('retry-after') }
}

const keys = ['a', 'b', 'c']

describe.each([false, true])('a continued response, streamed: %s', (stream) => {
  test('goes to the key that made it', async () => {
    await using up = await fakeUpstream(accountsOf('up'))
    await using gateway = await start(settings({ up: openai(up, keys) }))
    const first = await respond(gateway, { stream })
    let last = first
    for (let count = 0; count < 8; count += 1) {
      last = await respond(gateway, { stream, previous_response_id: last.id })
      expect(last.status).toBe(200)
    }
    expect(new Set(up.seen.map(keyOf)).size).toBe(1)
    expect((await respond(gateway, { stream, previous_response_id: first.id })).status).toBe(200)
  })

  test('goes to the provider that made it', async () => {
    await using one = await fakeUpstream(accountsOf('one'))
    await using two = await fakeUpstream(accountsOf('two'))
    const providers = { one: openai(one, ['a', 'b']), two: openai(two, ['a', 'b']) }
    const targets = [{ target: 'one/m' }, { target: 'two/m' }]
    await using gateway = await start(settings(providers, { models: { m: { targets } } }))
    for (let count = 0; count < 8; count += 1) {
      const first = await respond(gateway, { model: 'm', stream })
      const second = await respond(gateway, {
        model: 'm',
        stream,
        previous_response_id: first.id,
      })
      expect(second.status).toBe(200)
    }
    expect(one.seen.length > 0 && two.seen.length > 0).toBe(true)
    expect((one.seen.length + two.seen.length) % 2).toBe(0)
    expect(one.seen.length + two.seen.length).toBe(16)
  })

  test('that is not stored goes to the key that can read its reasoning', async () => {
    await using up = await fakeUpstream(accountsOf('up'))
    await using gateway = await start(settings({ up: openai(up, keys) }))
    const include = ['reasoning.encrypted_content']
    let input: readonly object[] = [{ role: 'user', content: 'Hi' }]
    for (let count = 0; count < 6; count += 1) {
      const next = await respond(gateway, { stream, store: false, include, input })
      expect(next.status).toBe(200)
      input = [...input, ...next.output, { role: 'user', content: 'More' }]
    }
    expect(new Set(up.seen.map(keyOf)).size).toBe(1)
  })
})

test('a call waits for its key if that is limited, and never asks another', async () => {
  const known = accountsOf('up')
  let limited = false
  let waitMs = 300
  await using up = await fakeUpstream((seen, response, connections) => {
    if (!limited) return known(seen, response, connections)
    limited = false
    const headers = { 'retry-after-ms': String(waitMs) }
    return json(response, refusal('Slow down'), { status: 429, headers })
  })
  const targets = [{ target: 'up/m' }, { target: 'other/m' }]
  await using other = await fakeUpstream(accountsOf('other'))
  const providers = { up: openai(up, ['a', 'b']), other: openai(other, ['a']) }
  await using gateway = await start(settings(providers, { models: { both: { targets } } }))
  const first = await respond(gateway, {})
  for (const model of ['up/m', 'both']) {
    limited = true
    const waited = await respond(gateway, { model, previous_response_id: first.id })
    expect(waited.status).toBe(200)
  }
  limited = true
  waitMs = 40_000
  for (let count = 0; count < 2; count += 1) {
    const refused = await respond(gateway, { model: 'both', previous_response_id: first.id })
    expect([refused.status, refused.retryAfter]).toEqual([429, '40'])
  }
  expect(new Set(up.seen.map(keyOf)).size).toBe(1)
  expect(other.seen.length).toBe(0)
  // Others are served by the other key meanwhile.
  expect((await respond(gateway, {})).status).toBe(200)
})

test('the successor of a key that is configured no more is used', async () => {
  await using up = await fakeUpstream((seen, response) =>
    answerResponse(seen, response, [messageItem('Hello')]),
  )
  await using gateway = await start(settings({ up: openai(up, ['a']) }))
  const first = await respond(gateway, {})
  await gateway.configure(settings({ up: openai(up, ['new', 'newer']) }))
  expect((await respond(gateway, { previous_response_id: first.id })).status).toBe(200)
})

test.each([400, 403, 404])(
  'ids that were not made here are looked for with every key after %i',
  async (status) => {
    await using up = await fakeUpstream((seen, response) =>
      keyOf(seen) === 'c' || seen.body['previous_response_id'] === undefined
        ? answerResponse(seen, response, [messageItem('Hello')])
        : json(response, refusal('Previous response not found'), { status }),
    )
    const shared = { ...openai(up, keys), sharedIds: 'allow' as const }
    await using gateway = await start(settings({ up: shared }))
    for (let count = 0; count < 3; count += 1)
      expect((await respond(gateway, { previous_response_id: 'resp_elsewhere' })).status).toBe(200)
    // A call that names nothing is asked once.
    const asked = up.seen.length
    for (let count = 0; count < 3; count += 1) await respond(gateway, {})
    expect(up.seen.length).toBe(asked + 3)
  },
)

describe.each([false, true])('a container, streamed: %s', (stream) => {
  test('is named to the key that made it', async () => {
    const container = { id: 'container_1', expires_at: '2027-01-01T00:00:00Z' }
    const message = (further: object) => ({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
      ...further,
    })
    const events = [
      { type: 'message_start', message: message({ stop_reason: null }) },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Hi' } },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn', stop_sequence: null, container },
        usage: { output_tokens: 3 },
      },
      { type: 'message_stop' },
    ]
    let maker: string | undefined
    await using up = await fakeUpstream((seen, response) => {
      maker ??= keyOf(seen)
      if (seen.body['container'] !== undefined && keyOf(seen) !== maker)
        return json(response, refusal('container_1 not found'), { status: 400 })
      return stream
        ? sse(
            response,
            events.map((one) => `event: ${one.type}\ndata: ${JSON.stringify(one)}\n\n`),
          )
        : json(response, message({ container }))
    })
    const claude = { type: 'anthropic' as const, baseUrl: up.url, keys }
    await using gateway = await start(settings({ claude }))
    const body = {
      model: 'claude/m',
      max_tokens: 9,
      messages: [{ role: 'user', content: 'Hi' }],
      stream,
    }
    const ask = async (further: object) => {
      const answer = await gateway.post('/v1/messages', { ...body, ...further })
      await answer.text()
      return answer.status
    }
    expect(await ask({})).toBe(200)
    for (let count = 0; count < 4; count += 1)
      expect(await ask({ container: container.id })).toBe(200)
    expect(new Set(up.seen.map(keyOf)).size).toBe(1)
  })
})

test('sticky routing keeps a prompt prefix at its key and spreads others', async () => {
  await using up = await fakeUpstream((_seen, response) => json(response, chatReply('Hello')))
  const provider = { type: 'openai' as const, baseUrl: up.url, keys }
  const models = { m: { targets: [{ target: 'up/m' }], sticky: true } }
  await using gateway = await start(settings({ up: provider }, { models }))
  const ask = async (system: string, content: string) => {
    const messages = [
      { role: 'system', content: system },
      { role: 'user', content },
    ]
    expect((await gateway.post('/v1/chat/completions', { model: 'm', messages })).status).toBe(200)
    return keyOf(up.seen.at(-1)!)
  }
  const long = (text: string) => text.repeat(5_000)
  const used = new Set<string>()
  for (const text of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) {
    const key = await ask(long(text), 'Hi')
    used.add(key)
    for (let turn = 0; turn < 3; turn += 1) expect(await ask(long(text), `${turn}`)).toBe(key)
  }
  expect(used.size).toBeGreaterThan(1)
})
