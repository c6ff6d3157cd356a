import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { fakeUpstream, json, sse } from '../../support/fakes/fake-upstream.ts'
import { chunk, done, textStream } from '../../support/fakes/openai-wire.ts'
import { ask, at, streams } from '../../support/routes.ts'
import { start, until } from '../../support/start.ts'

describe('hedging', () => {
  const hedge = (delayMs: number) => ({
    models: {
      m: {
        targets: [{ target: 'first/m' }],
        fallback: ['second/m'],
        retries: { attempts: 1 },
        hedge: { enabled: true, delayMs },
      },
    },
  })
  const stream = { model: 'm', stream: true, ...ask }

  test('starts a second target when the first is silent, and cancels and records the loser', async () => {
    await using first = await fakeUpstream((_seen, response) =>
      sse(response, [chunk({ role: 'assistant', content: '' })], { end: false }),
    )
    await using second = await fakeUpstream(streams)
    await using gateway = await start(at({ first, second }, hedge(30)))
    const response = await gateway.post('/v1/chat/completions', stream)
    expect(response.headers.get('x-sluice-provider')).toBe('second')
    expect((await response.text()).endsWith(done)).toBe(true)
    await until(() => first.seen[0]?.closedAt)
    const { store } = gateway.gateway
    await store.flush()
    const records = await store.listUsage({ limit: 9 })
    expect(records.map(({ provider, outcome }) => `${provider} ${outcome}`).toSorted()).toEqual([
      'first cancelled',
      'second completed',
    ])
  })

  test('never picks a leg that sends an error event', async () => {
    await using first = await fakeUpstream(async (_seen, response: ServerResponse) => {
      await new Promise((resolve) => setTimeout(resolve, 80))
      await sse(response, textStream)
    })
    await using second = await fakeUpstream((_seen, response) =>
      sse(response, [{ error: { message: 'overloaded', type: 'server_error' } }]),
    )
    await using gateway = await start(at({ first, second }, hedge(10)))
    const response = await gateway.post('/v1/chat/completions', stream)
    expect(response.headers.get('x-sluice-provider')).toBe('first')
    expect((await response.text()).endsWith(done)).toBe(true)
    expect(second.seen.length).toBe(1)
  })

  test('does not call the second target when the first is fast', async () => {
    await using first = await fakeUpstream(streams)
    await using second = await fakeUpstream(streams)
    await using gateway = await start(at({ first, second }, hedge(2_000)))
    const response = await gateway.post('/v1/chat/completions', stream)
    await response.text()
    expect(second.seen.length).toBe(0)
  })
})

describe('n choices from an upstream that returns one per request', () => {
  const message = (text: string) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'up',
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 7, output_tokens: 3 },
  })

  test('are merged with the prompt counted once', async () => {
    let count = 0
    await using only = await fakeUpstream((_seen, response) => {
      count += 1
      json(response, message(`answer ${count}`))
    })
    await using gateway = await start({
      providers: { only: { type: 'anthropic', baseUrl: only.url, key: 'k' } },
    })
    const response = await gateway.post('/v1/chat/completions', { model: 'only/m', n: 3, ...ask })
    const reply = (await response.json()) as {
      choices: { index: number; message: { content: string } }[]
      usage: object
    }
    expect(reply.choices.map(({ index }) => index)).toEqual([0, 1, 2])
    expect(new Set(reply.choices.map((choice) => choice.message.content)).size).toBe(3)
    expect(reply.usage).toMatchObject({ prompt_tokens: 7, completion_tokens: 9, total_tokens: 16 })
    expect(only.seen.length).toBe(3)
    const { store } = gateway.gateway
    await store.flush()
    expect((await store.listUsage({ limit: 9 })).length).toBe(3)
  })
})
