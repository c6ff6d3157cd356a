// Answers that break off, and how they count for the target, its keys and other callers.
import { request as httpRequest } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { type Answering, fakeUpstream, json, sse } from '../../support/fakes/fake-upstream.ts'
import { chatReply, chunk, textStream } from '../../support/fakes/openai-wire.ts'
import { owner, stranger, withTwoKeys } from '../../support/gateways/two-keys.ts'
import type { Routes } from '../../support/routes.ts'
import { ask, at, error, good } from '../../support/routes.ts'
import { type Started, start, testKey, until } from '../../support/start.ts'

const failures = 3

/** A route of two targets whose first is tried until its breaker opens. */
const routed = (breaker: object = {}, idleMs = 200): Routes => ({
  models: {
    m: {
      targets: [{ target: 'first/m' }],
      fallback: ['second/m'],
      retries: { attempts: 1 },
      breaker: { failures, windowMs: 60_000, cooldownMs: 60_000, ...breaker },
      timeouts: { idleMs },
    },
  },
})

const begun = [chunk({ role: 'assistant', content: '' }), chunk({ content: 'Hel' })]

const breaksOff: Readonly<Record<string, Answering>> = {
  async 'its connection is cut'(_seen, response) {
    await sse(response, begun, { end: false })
    response.destroy()
  },
  'it ends too early': (_seen, response) => sse(response, begun),
  'it reports an error': (_seen, response) =>
    sse(response, [...begun, { error: { message: 'no capacity', type: 'server_error' } }]),
  'it is garbage': (_seen, response) => sse(response, [...begun, 'data: {\n\n', 'data: {\n\n']),
  'it falls silent': (_seen, response) => sse(response, begun, { end: false }),
}

const call = async (gateway: Started, body: object, key = owner) => {
  const response = await gateway.post('/v1/chat/completions', { model: 'm', ...body }, key)
  await response.text().catch(() => '')
  return response.headers.get('x-sluice-provider')
}
const streamed = { ...ask, stream: true }

describe('a broken stream counts as one failure of its target when', () => {
  test.each(Object.entries(breaksOff))('%s', async (_name, answering) => {
    await using first = await fakeUpstream(answering)
    await using second = await fakeUpstream((_seen, response) => sse(response, textStream))
    await using gateway = await start({ ...withTwoKeys({ first, second }), ...routed() })
    const providers: (string | null)[] = []
    for (let index = 0; index <= failures; index += 1) providers.push(await call(gateway, streamed))
    expect(providers).toEqual(['first', 'first', 'first', 'second'])
    expect(gateway.logged.filter(({ fields }) => fields['state'] === 'open')).toHaveLength(1)
  })

  test('it is translated', async () => {
    await using first = await fakeUpstream(breaksOff['it ends too early']!)
    await using second = await fakeUpstream((_seen, response) => sse(response, textStream))
    await using gateway = await start({ ...withTwoKeys({ first, second }), ...routed() })
    for (let index = 0; index < failures; index += 1) {
      const body = { model: 'm', max_tokens: 9, ...streamed }
      const answer = await gateway.post('/v1/messages', body, owner)
      expect(await answer.text()).toContain('event: error')
    }
    expect(await call(gateway, streamed)).toBe('second')
  })

  test('its sound is cut off', async () => {
    await using first = await fakeUpstream((_seen, response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg' })
      response.write('ID3', () => response.destroy())
    })
    await using gateway = await start({ ...withTwoKeys({ first, second: first }), ...routed() })
    for (let index = 0; index < failures; index += 1) {
      const body = { model: 'm', input: 'Hi', voice: 'alloy' }
      const answer = await gateway.post('/v1/audio/speech', body, owner)
      await expect(answer.arrayBuffer()).rejects.toThrow('terminated')
    }
    await until(() => gateway.logged.some(({ fields }) => fields['state'] === 'open'))
  })
})

test('a complete answer resets the failures that broken answers left', async () => {
  await using first = await fakeUpstream(breaksOff['it ends too early']!)
  await using second = await fakeUpstream(good)
  await using gateway = await start({ ...withTwoKeys({ first, second }), ...routed() })
  const bad = breaksOff['it ends too early']!
  const whole: Answering = (_seen, response) => sse(response, textStream)
  for (const answering of [bad, bad, whole, bad, bad, whole, bad, bad]) {
    first.answer(answering)
    expect(await call(gateway, streamed)).toBe('first')
  }
  first.answer(good)
  expect(await call(gateway, ask)).toBe('first')
})

describe('no failure is counted against a target when', () => {
  test('the caller disconnects', async () => {
    await using first = await fakeUpstream(breaksOff['it falls silent']!)
    await using second = await fakeUpstream(good)
    await using gateway = await start({ ...withTwoKeys({ first, second }), ...routed() })
    for (let index = 0; index < failures + 1; index += 1) {
      const leaving = new AbortController()
      const body = { model: 'm', ...streamed }
      const options = { ...owner, signal: leaving.signal }
      const answer = await gateway.post('/v1/chat/completions', body, options)
      expect(answer.headers.get('x-sluice-provider')).toBe('first')
      await answer.body!.getReader().read()
      leaving.abort()
      await until(() => first.seen.at(-1)?.closedAt)
    }
  })

  test('the caller does not read', async () => {
    const flood = chunk({ content: 'x'.repeat(65_536) })
    await using first = await fakeUpstream(async (_seen, response) => {
      await sse(response, [...begun, ...Array<object>(400).fill(flood)], { end: false })
      let left = -1
      while (left !== response.writableLength) {
        left = response.writableLength
        await setTimeout(300)
      }
      await setTimeout(1_200)
      response.destroy()
    })
    await using second = await fakeUpstream((_seen, response) => sse(response, textStream))
    const settings = { ...at({ first, second }), ...routed({ failures: 1 }, 60_000) }
    await using gateway = await start(settings)
    const asked = httpRequest(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    })
    asked.end(JSON.stringify({ model: 'm', ...streamed }))
    const answer = await new Promise<NodeJS.ReadableStream>((resolve) => {
      asked.once('response', resolve)
    })
    await until(() => first.seen[0]?.isOver, 20_000)
    answer.resume()
    await until(() => gateway.logged.some(({ message }) => message === 'an attempt failed'))
    expect(gateway.logged.filter(({ fields }) => fields['state'] === 'open')).toEqual([])
  })
})

describe('failures of one caller’s requests', () => {
  /** An upstream that some bodies are too much for. */
  const choking: Answering = (seen, response) =>
    seen.text.includes('choke') ? error(500)(seen, response) : json(response, chatReply('Hello'))
  const bad = { messages: [{ role: 'user', content: 'choke' }] }

  test('open the breaker for this key only', async () => {
    await using first = await fakeUpstream(choking)
    await using second = await fakeUpstream(good)
    await using gateway = await start({ ...withTwoKeys({ first, second }), ...routed() })
    for (let index = 0; index < 3 * failures; index += 1)
      expect(await call(gateway, bad, stranger)).toBe('second')
    expect(first.seen).toHaveLength(failures)
    expect(await call(gateway, ask, owner)).toBe('first')
    const opened = gateway.logged.filter(({ fields }) => fields['state'] === 'open')
    expect(opened).toMatchObject([{ fields: { target: 'first/m', key: expect.any(String) } }])
  })

  test('open the breaker for every key when a second key fails', async () => {
    await using first = await fakeUpstream(error(500))
    await using second = await fakeUpstream(good)
    await using gateway = await start({ ...withTwoKeys({ first, second }), ...routed() })
    for (const key of [stranger, stranger, owner]) await call(gateway, ask, key)
    const before = first.seen.length
    expect(await call(gateway, ask, { key: testKey })).toBe('second')
    expect(first.seen).toHaveLength(before)
  })
})

test('a provider key whose stream ends with an authentication error is skipped by the next call', async () => {
  const opening =
    'event: message_start\ndata: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"c","content":[],"usage":{"input_tokens":1,"output_tokens":1}}}\n\n' +
    'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n' +
    'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}\n\n'
  const refusal =
    'event: error\ndata: {"type":"error","error":{"type":"authentication_error","message":"revoked"}}\n\n'
  await using first = await fakeUpstream((_seen, response) => sse(response, [opening, refusal]))
  await using gateway = await start({
    providers: { first: { type: 'anthropic', baseUrl: first.url, keys: ['one', 'two'] } },
  })
  const body = { model: 'first/c', max_tokens: 9, ...streamed }
  for (let index = 0; index < 2; index += 1) await (await gateway.post('/v1/messages', body)).text()
  expect(first.seen.map(({ headers }) => headers['x-api-key'])).toEqual(['one', 'two'])
  expect((await gateway.post('/v1/messages', body)).status).toBe(502)
})
