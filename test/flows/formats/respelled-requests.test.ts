// Requests with the field names of related formats, as observed from programs: each reaches upstreams of its own
// format and of others like the same request with the format's own names.
import { describe, expect, test } from 'vitest'
import { fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { chatReply } from '../../support/fakes/openai-wire.ts'
import {
  asked,
  chat,
  generateContent,
  messages,
  responses,
  tools,
  user,
} from '../../support/generated/respelled-pairs.ts'
import { start } from '../../support/start.ts'

type Fields = Readonly<Record<string, unknown>>

const formats = {
  chat: { pairs: chat, path: () => '/v1/chat/completions' },
  messages: { pairs: messages, path: () => '/v1/messages' },
  responses: { pairs: responses, path: () => '/v1/responses' },
  generateContent: {
    pairs: generateContent,
    path: (model: string) => `/v1beta/models/${model}:generateContent`,
  },
} as const

const types = ['openai', 'anthropic', 'gemini', 'openai-responses', 'cohere'] as const

/** A gateway in front of an upstream of each protocol, which all answer as OpenAI does. */
async function inFront() {
  const upstream = await fakeUpstream((_seen, response) => json(response, chatReply('Hi')))
  const gateway = await start({
    providers: Object.fromEntries(
      types.map((type) => [type, { type, baseUrl: upstream.url, key: 'k' }]),
    ),
    defaults: { retries: { attempts: 1 } },
  })
  return {
    async sent(path: string, body: Fields) {
      const before = upstream.seen.length
      const response = await gateway.post(path, body)
      const told = await response.text()
      const [seen] = upstream.seen.slice(before)
      return { dropped: response.headers.get('x-sluice-dropped'), body: seen?.body ?? told }
    },
    gateway,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await upstream[Symbol.asyncDispose]()
    },
  }
}

describe.each(Object.entries(formats))(
  'accepts spellings of neighboring formats in %s',
  (face, { pairs, path }) => {
    test.each(pairs)('%s', async (_name, written, plain) => {
      await using both = await inFront()
      for (const type of types) {
        const model = `${type}/m`
        const whole = (body: Fields) => ({
          ...(face === 'generateContent' ? {} : { model }),
          ...(face === 'messages' ? { max_tokens: 100 } : {}),
          ...body,
        })
        const expected = await both.sent(path(model), whole(plain))
        expect(expected.body, `${type} takes it`).toBeTypeOf('object')
        expect([type, await both.sent(path(model), whole(written))]).toEqual([type, expected])
      }
    })
  },
)

test('still rejects unknown spellings by the name of the field', async () => {
  await using both = await inFront()
  for (const [param, further] of [
    ['tool_choice', { tool_choice: 'now' }],
    ['tools[0].type', { tools: [{ name: 'now' }] }],
    ['messages[0].content[0].type', { messages: [user([{ type: 7 }])] }],
    ['temperature', { tool_choice: { type: 'auto' }, temperature: 'warm' }],
    ['background', { messages: null, input: 'a', background: true }],
  ] as const) {
    const response = await both.gateway.post('/v1/chat/completions', {
      model: 'openai/m',
      ...asked,
      ...further,
    })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { param } })
  }
})

test('reports a dropped field of a Responses request that came to chat', async () => {
  await using both = await inFront()
  const { dropped } = await both.sent('/v1/chat/completions', {
    model: 'openai/m',
    input: 'a',
    prompt_cache_retention: '24h',
  })
  expect(dropped).toBe('prompt_cache_retention')
})

test('does not rewrite bodies over 4 MiB', async () => {
  await using both = await inFront()
  const response = await both.gateway.post('/v1/chat/completions', {
    model: 'openai/m',
    messages: [user('a'.repeat(4 * 1024 * 1024))],
    tools,
    tool_choice: { type: 'auto' },
  })
  expect(await response.json()).toMatchObject({ error: { param: 'tool_choice.type' } })
})
