// A server of one's own, given as `type: openai` at a base URL, gets what a caller of chat completions wrote, as it is.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FakeUpstream, fakeUpstream, json, sse } from '../../support/fakes/fake-upstream.ts'
import { chatReply, chunk, done } from '../../support/fakes/openai-wire.ts'
import { adminKey, type Started, start } from '../../support/start.ts'

type Fields = Readonly<Record<string, unknown>>

let server: FakeUpstream
let gateway: Started

const thought = 'What is in a?'

beforeAll(async () => {
  server = await fakeUpstream(({ body }, response) => {
    if (body['stream'] === true)
      return sse(response, [
        chunk({ role: 'assistant', content: '' }),
        chunk({ reasoning: 'What is' }),
        chunk({ reasoning: ' in a?' }),
        chunk({ content: 'Done.' }),
        chunk({}, 'stop'),
        done,
      ])
    const message = { role: 'assistant', content: 'Done.', reasoning: thought }
    return json(
      response,
      chatReply('', { choices: [{ index: 0, message, finish_reason: 'stop' }] }),
    )
  })
  const own = { baseUrl: server.url, key: 'k' }
  gateway = await start({
    providers: {
      own: { type: 'openai', ...own },
      openai: { key: 'k', baseUrl: server.url },
      vllm: { ...own },
      strict: { type: 'openai', baseUrl: 'https://api.openai.com/v1', key: 'k' },
      regional: { type: 'openai', baseUrl: 'https://eu.api.openai.com/v1', key: 'k' },
      azure: { type: 'openai', baseUrl: 'https://r.openai.azure.com/openai/v1', key: 'k' },
      groq: { ...own },
      openrouter: { ...own },
      claude: { type: 'anthropic', ...own },
      gemini: { type: 'gemini', ...own },
      bedrock: { type: 'bedrock', ...own, region: 'us-east-1' },
      cohere: { type: 'cohere', ...own },
      responses: { type: 'openai-responses', ...own },
    },
    defaults: { retries: { attempts: 1 } },
  })
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }
const tools = [{ type: 'function', function: { name: 'f' } }]

/** A tool loop whose answer had these fields. */
function loop(answer: Fields, further: Fields = {}): Fields {
  return {
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: null, tool_calls: [call], ...answer },
      { role: 'tool', tool_call_id: 'call_1', content: '1' },
    ],
    tools,
    ...further,
  }
}

const withPart = (part: Fields): Fields => ({
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }, part] }],
})

const requests: Readonly<Record<string, Fields>> = {
  reasoning_content: loop({ reasoning_content: thought }),
  reasoning: loop({ reasoning: thought }),
  thinking_blocks: loop({
    thinking_blocks: [{ type: 'thinking', thinking: thought, signature: 'c2ln' }],
  }),
  'reasoning details': loop({ reasoning_details: [{ type: 'reasoning.text', text: thought }] }),
  'a thinking part': loop({ content: [{ type: 'thinking', thinking: thought }] }),
  'a signature of a text': loop({ extra_content: { google: { thought_signature: 'c2ln' } } }),
  'a signature of a call': loop({
    tool_calls: [{ ...call, extra_content: { google: { thought_signature: 'c2ln' } } }],
  }),
  'fields of a call': loop({ tool_calls: [{ ...call, index: 0, mood: 'kind' }] }),
  citations: loop({ file_citations: [{ file_id: 'f' }] }),
  'fields of a message': loop({ mood: 'kind' }),
  video_url: withPart({ type: 'video_url', video_url: { url: 'https://a.test/v.mp4' } }),
  input_video: withPart({ type: 'input_video', input_video: { data: 'AA==', format: 'mp4' } }),
  cache_control: withPart({
    type: 'text',
    text: 'Ho',
    cache_control: { type: 'ephemeral', ttl: '1h' },
  }),
  top_k: loop({}, { top_k: 4, min_p: 0.1 }),
  budget: loop({}, { thinking_budget: 100 }),
  'objects of effort': loop({}, { reasoning: { effort: 'low' }, thinking: { type: 'enabled' } }),
}

describe.each(['own', 'openai', 'vllm'])('%s gets what the caller wrote:', (provider) => {
  test.each(Object.entries(requests))('%s', async (_, request) => {
    const response = await gateway.post('/v1/chat/completions', {
      model: `${provider}/m`,
      ...request,
    })
    expect(response.status).toBe(200)
    expect(response.headers.get('x-sluice-dropped')).toBeNull()
    expect(server.seen.at(-1)?.body).toEqual({ ...request, model: 'm' })
  })
})

async function explained(request: Fields): Promise<Fields> {
  const response = await gateway.post('/admin/v1/explain', { request }, { key: adminKey })
  const { targets } = (await response.json()) as { readonly targets: readonly Fields[] }
  return targets[0]!
}

describe.each(['strict', 'regional', 'azure'])('%s is cleaned', (provider) => {
  test.each([
    ['reasoning_content', 'messages[1].reasoning_content'],
    ['reasoning', 'messages[1].reasoning'],
    ['thinking_blocks', 'messages[1].thinking_blocks'],
    ['reasoning details', 'messages[1].reasoning_details'],
    ['a thinking part', 'messages[1].content[0]'],
    ['a signature of a text', 'messages[1].extra_content'],
    ['a signature of a call', 'messages[1].tool_calls[0].extra_content'],
    ['cache_control', 'cache_control'],
    ['top_k', 'top_k'],
  ])('of %s, which is named', async (name, path) => {
    expect(await explained({ model: `${provider}/m`, ...requests[name]! })).toMatchObject({
      dropped: [path],
    })
  })
})

test.each([
  ['groq', 'reasoning'],
  ['openrouter', 'reasoning'],
  ['own', 'reasoning_content'],
])('sends %s the reasoning of a history as %s', async (provider, field) => {
  const request = provider === 'own' ? messagesLoop : requests['reasoning_content']!
  const path = provider === 'own' ? '/v1/messages' : '/v1/chat/completions'
  const response = await gateway.post(path, { model: `${provider}/m`, ...request })
  expect(response.status).toBe(200)
  expect(response.headers.get('x-sluice-dropped')).toBeNull()
  const { messages } = server.seen.at(-1)!.body as { readonly messages: readonly Fields[] }
  expect(messages[1]).toMatchObject({ [field]: thought })
})

const messagesLoop: Fields = {
  max_tokens: 100,
  messages: [
    { role: 'user', content: 'Hi' },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: thought, signature: '' },
        { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} },
      ],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: '1' }] },
  ],
  tools: [{ name: 'f', input_schema: { type: 'object' } }],
}

test.each([
  ['claude', 'messages[1].reasoning_content'],
  ['gemini', 'messages[1].reasoning_content'],
  ['bedrock', 'messages[1].reasoning_content'],
  ['responses', 'messages[1].reasoning_content'],
])('names the reasoning of a history that %s does not get', async (provider, path) => {
  const request = { model: `${provider}/m`, ...requests['reasoning_content']! }
  expect(await explained(request)).toMatchObject({ dropped: [path] })
})

test('names reasoning that Cohere gets only before calls', async () => {
  const said = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'Ho', reasoning_content: thought },
    { role: 'user', content: 'Hi' },
  ]
  expect(await explained({ model: 'cohere/m', messages: said })).toMatchObject({
    dropped: ['messages[1].reasoning_content'],
  })
  expect(await explained({ model: 'cohere/m', ...requests['reasoning_content']! })).toMatchObject({
    dropped: [],
  })
})

test.each([
  ['/v1/messages', messagesLoop, 'messages[1].content[0]'],
  [
    '/v1/responses',
    {
      input: [
        { role: 'user', content: 'Hi' },
        { type: 'reasoning', summary: [{ type: 'summary_text', text: thought }] },
        { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output: '1' },
      ],
    },
    'input[1]',
  ],
  [
    '/v1beta/models/bedrock%2Fm:generateContent',
    {
      contents: [
        { parts: [{ text: 'Hi' }] },
        { role: 'model', parts: [{ text: thought, thought: true }, { text: 'Ho' }] },
        { parts: [{ text: 'Hi' }] },
      ],
    },
    'contents[1].parts[0]',
  ],
])('names lost reasoning by the path of the caller of %s', async (path, request, place) => {
  const response = await gateway.post(
    path,
    { model: 'bedrock/m', ...request },
    { headers: { 'x-sluice-unsupported': 'refuse' } },
  )
  expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(place)])
})

test.each(['own', 'vllm', 'groq'])(
  'gives the reasoning of %s the name of the contract',
  async (provider) => {
    const request = { model: `${provider}/m`, messages: [{ role: 'user', content: 'Hi' }] }
    const whole = await gateway.post('/v1/chat/completions', request)
    expect(await whole.json()).toMatchObject({
      choices: [{ message: { content: 'Done.', reasoning_content: thought } }],
    })
    const streamed = await gateway.post('/v1/chat/completions', { ...request, stream: true })
    const deltas = (await streamed.text())
      .split('\n')
      .filter((line) => line.startsWith('data: {'))
      .map((line) => JSON.parse(line.slice(6)) as { choices: readonly { delta: Fields }[] })
      .map(({ choices }) => choices[0]?.delta['reasoning_content'] ?? '')
    expect(deltas.join('')).toBe(thought)
  },
)

test('keeps a content of null beside reasoning', async () => {
  await gateway.post('/v1/chat/completions', { model: 'groq/m', ...requests['reasoning_content']! })
  const { messages } = server.seen.at(-1)!.body as { readonly messages: readonly Fields[] }
  expect(messages[1]).toMatchObject({ content: null })
})
