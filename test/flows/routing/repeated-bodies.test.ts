// The caller's bytes serve every attempt, although the first may have changed the model in them.
import { describe, expect, test } from 'vitest'
import { fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import { at, error, good, type Routes } from '../../support/routes.ts'
import { type Started, start, testKey } from '../../support/start.ts'

const told = `Grüße ${'und mehr '.repeat(2_000)}🗼`
const textWith = (model: string) =>
  `{ "zeta":1.50, "messages":[{"role":"user","content":${JSON.stringify(told)},"mood":[12345678901234567890]}],"model" :${JSON.stringify(model)}, "top_p":1 }`

async function send(gateway: Started, model: string): Promise<Response> {
  return fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${testKey}` },
    body: textWith(model),
  })
}

const retries = { attempts: 2, baseMs: 1, maxMs: 2 }
const routes = (targets: readonly string[], further: object = {}): Routes => ({
  models: {
    'a-public-name': {
      targets: targets.map((target, priority) => ({ target, priority })),
      retries,
      ...further,
    },
  },
})

describe('the body of a call with several attempts', () => {
  test('keeps its bytes at each attempt, except the model name', async () => {
    await using first = await fakeUpstream(error(503))
    await using second = await fakeUpstream(error(503))
    await using third = await fakeUpstream(good)
    const longer = 'a-name-that-is-longer-than-the-public-one'
    await using gateway = await start(
      at({ first, second, third }, routes(['first/m', `second/${longer}`, 'third/n'])),
    )
    const response = await send(gateway, 'a-public-name')
    expect(response.status).toBe(200)
    expect(first.seen.map(({ text }) => text)).toEqual([textWith('m'), textWith('m')])
    expect(second.seen.map(({ text }) => text)).toEqual([textWith(longer), textWith(longer)])
    expect(third.seen.map(({ text }) => text)).toEqual([textWith('n')])
    const [line] = gateway.logged.filter(({ message }) => message === 'request')
    expect(line?.fields).toMatchObject({ model: 'a-public-name', attempts: 5 })
  })

  test('is translated for a target of another format', async () => {
    await using first = await fakeUpstream(error(503))
    await using second = await fakeUpstream((_seen, response) =>
      json(response, {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'claude',
        content: [{ type: 'text', text: 'Hello' }],
        stop_reason: 'end_turn',
        usage: { input_tokens: 1, output_tokens: 1 },
      }),
    )
    const settings = at({ first }, routes(['first/m', 'second/claude']))
    await using gateway = await start({
      ...settings,
      providers: {
        ...settings.providers,
        second: { type: 'anthropic', baseUrl: second.url, key: 'k' },
      },
    })
    const response = await send(gateway, 'a-public-name')
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ model: 'a-public-name' })
    expect(second.seen).toHaveLength(1)
    expect(JSON.stringify(second.seen[0]?.body)).toContain(JSON.stringify(told))
  })

  test('serves two targets of a hedge', async () => {
    await using slow = await fakeUpstream(async (_seen, response) => {
      await new Promise((resolve) => setTimeout(resolve, 300))
      json(response, chatReply('late'))
    })
    await using fast = await fakeUpstream(good)
    await using gateway = await start(
      at(
        { slow, fast },
        routes(['slow/m', 'fast/other-model'], { hedge: { enabled: true, delayMs: 10 } }),
      ),
    )
    expect((await send(gateway, 'a-public-name')).status).toBe(200)
    expect(slow.seen.map(({ text }) => text)).toEqual([textWith('m')])
    expect(fast.seen.map(({ text }) => text)).toEqual([textWith('other-model')])
  })
})
