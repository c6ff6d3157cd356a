// Calls and results in Gemini's form: ids at Vertex AI, and files in results.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answerMessage, anthropicMessage, textBlock } from '../../support/fakes/anthropic-wire.ts'
import { type FakeUpstream, fakeUpstream } from '../../support/fakes/fake-upstream.ts'
import { answerContent } from '../../support/fakes/gemini-wire.ts'
import { type Started, start } from '../../support/start.ts'

let upstream: FakeUpstream
let gateway: Started
beforeAll(async () => {
  upstream = await fakeUpstream((seen, response) =>
    seen.path.includes('/messages')
      ? answerMessage(seen, response, anthropicMessage([textBlock('Hi')]))
      : answerContent(seen, response, [{ text: 'Hi' }]),
  )
  gateway = await start({
    providers: {
      vertex: { type: 'vertex', baseUrl: upstream.url, key: 'ya29.token', project: 'p' },
      google: { type: 'gemini', baseUrl: upstream.url, key: 'k' },
      claude: { type: 'anthropic', baseUrl: upstream.url, key: 'k' },
    },
    defaults: { retries: { attempts: 1 } },
  })
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})

const data = 'iVBORw0KGgo='
const contents = (parts?: readonly object[]) => [
  { role: 'user', parts: [{ text: 'Hi' }] },
  { role: 'model', parts: [{ functionCall: { id: 'call-1', name: 'f', args: { id: 'x' } } }] },
  {
    role: 'user',
    parts: [
      {
        functionResponse: {
          id: 'call-1',
          name: 'f',
          response: { output: '1' },
          ...(parts === undefined ? {} : { parts }),
        },
      },
    ],
  },
]

const path = (model: string) => `/v1beta/models/${encodeURIComponent(model)}:generateContent`

test.each([
  ['vertex/gemini-2.5-flash', 0],
  ['vertex/gemini-3-pro-preview', 2],
  ['google/gemini-2.5-flash', 2],
])('%s gets %i ids, passed and translated', async (model, count) => {
  const chat = {
    model,
    messages: [
      { role: 'user', content: 'Hi' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'call-1', type: 'function', function: { name: 'f', arguments: '{"id":"x"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call-1', content: '1' },
    ],
  }
  for (const [address, body] of [
    [path(model), { contents: contents() }],
    ['/v1/chat/completions', chat],
  ] as const) {
    const answer = await gateway.post(address, body)
    expect(answer.status, await answer.text()).toBe(200)
    const sent = JSON.stringify(upstream.seen.at(-1)?.body['contents'])
    expect(sent.match(/"id":"call-1"/g) ?? []).toHaveLength(count)
    expect(sent).toContain('"args":{"id":"x"}')
  }
})

test('a file in a result reaches Claude', async () => {
  const inlineData = { mimeType: 'image/png', data }
  const answer = await gateway.post(path('claude/claude-sonnet-4-5'), {
    contents: contents([{ inlineData }]),
  })
  expect(answer.status, await answer.text()).toBe(200)
  const { messages } = upstream.seen.at(-1)!.body as { readonly messages: readonly object[] }
  expect(messages.at(-1)).toMatchObject({
    content: [
      {
        type: 'tool_result',
        content: [
          { type: 'text', text: '1' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
        ],
      },
    ],
  })
})

test('an unknown part of a result is refused by its path', async () => {
  const answer = await gateway.post(path('claude/claude-sonnet-4-5'), {
    contents: contents([{ hologram: {} }]),
  })
  expect([answer.status, await answer.text()]).toEqual([
    400,
    expect.stringContaining('contents[2].parts[0].functionResponse.parts[0]'),
  ])
})
