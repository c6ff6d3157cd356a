// Claude's betas at the platforms that run it: each gets those that it takes, and the header is named if it does not get all.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answerMessage, anthropicMessage, textBlock } from '../../support/fakes/anthropic-wire.ts'
import { type FakeUpstream, fakeUpstream, json } from '../../support/fakes/fake-upstream.ts'
import { type Started, start } from '../../support/start.ts'

type Fields = Readonly<Record<string, unknown>>

let upstream: FakeUpstream
let gateway: Started
beforeAll(async () => {
  upstream = await fakeUpstream((seen, response) =>
    seen.path.includes('converse')
      ? json(response, {
          output: { message: { role: 'assistant', content: [{ text: 'Hi' }] } },
          stopReason: 'end_turn',
          usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
        })
      : answerMessage(seen, response, anthropicMessage([textBlock('Hi')])),
  )
  gateway = await start({
    providers: {
      bedrock: { type: 'bedrock', baseUrl: upstream.url, key: 'a:b' },
      'google-vertex-anthropic': { baseUrl: upstream.url, key: 'token', project: 'p' },
      claude: { type: 'anthropic', baseUrl: upstream.url, key: 'k' },
    },
    defaults: { retries: { attempts: 1 } },
  })
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})

const model = 'bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0'
const tools = [{ name: 'f', input_schema: { type: 'object', properties: {} } }]

async function sent(further: Fields, betas: string) {
  const body = { model, max_tokens: 4000, messages: [{ role: 'user', content: 'Hi' }], ...further }
  const answer = await gateway.post('/v1/messages', body, { headers: { 'anthropic-beta': betas } })
  expect(answer.status).toBe(200)
  return { ...upstream.seen.at(-1)!, dropped: answer.headers.get('x-sluice-dropped') }
}

test('Bedrock gets those that it takes in the body', async () => {
  const { body, dropped } = await sent({}, 'context-1m-2025-08-07, interleaved-thinking-2025-05-14')
  expect(body['additionalModelRequestFields']).toEqual({
    anthropic_beta: ['context-1m-2025-08-07', 'interleaved-thinking-2025-05-14'],
  })
  expect(dropped).toBeNull()
})

test.each(['prompt-caching-scope-2026-01-05', 'constructor'])(
  'Bedrock does not get %s, and the header is named',
  async (beta) => {
    const { body, dropped } = await sent({}, `${beta},context-1m-2025-08-07`)
    expect(body['additionalModelRequestFields']).toEqual({
      anthropic_beta: ['context-1m-2025-08-07'],
    })
    expect(dropped).toBe('anthropic-beta')
  },
)

test.each([
  ['as it came', {}],
  [
    'translated',
    {
      messages: [
        { role: 'user', content: 'Hi' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm', signature: '' },
            { type: 'text', text: 'Ho' },
          ],
        },
        { role: 'user', content: 'Hi' },
      ],
      tools: [{ type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' }, ...tools],
    },
  ],
])('Vertex gets its own name of the beta that defers tools, %s', async (_, further) => {
  const vertex = 'google-vertex-anthropic/claude-sonnet-4-5'
  const deferred = tools.map((tool) => ({ ...tool, defer_loading: true }))
  const { headers, dropped } = await sent(
    { model: vertex, tools: deferred, ...further },
    'advanced-tool-use-2025-11-20,tool-search-tool-2025-10-19',
  )
  expect(headers['anthropic-beta']).toBe('tool-search-tool-2025-10-19')
  expect(dropped ?? '').not.toContain('anthropic-beta')
})

test('other makers’ models on Bedrock get none', async () => {
  const { body, dropped } = await sent(
    { model: 'bedrock/amazon.nova-pro-v1:0' },
    'context-1m-2025-08-07',
  )
  expect(dropped).toBe('anthropic-beta')
  expect(body['additionalModelRequestFields']).toBeUndefined()
})

test('the limit of the output stays where a budget is for a whole turn, and else is named', async () => {
  const thinking = { type: 'enabled', budget_tokens: 10_000 }
  const between = await sent({ tools, thinking }, 'interleaved-thinking-2025-05-14')
  expect(between.body['inferenceConfig']).toMatchObject({ maxTokens: 4000 })
  expect(between.dropped).toBeNull()
  const answer = await gateway.post('/v1/chat/completions', {
    model,
    max_tokens: 4000,
    messages: [{ role: 'user', content: 'Hi' }],
    thinking_budget: 10_000,
  })
  expect(answer.headers.get('x-sluice-dropped')).toBe('max_tokens')
})

test('Anthropic gets all of them in a translated request, too', async () => {
  const history = [
    { role: 'user', content: 'Hi' },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Hm', signature: '' },
        { type: 'text', text: 'Ho' },
      ],
    },
    { role: 'user', content: 'Hi' },
  ]
  const { headers } = await sent(
    { model: 'claude/claude-sonnet-4-5', messages: history },
    'some-beta-2027-01-01',
  )
  expect(headers['anthropic-beta']).toBe('some-beta-2027-01-01')
})
