import type { ServerResponse } from 'node:http'
import { createOpenAI } from '@ai-sdk/openai'
import { generateText, isStepCount, streamText, tool } from 'ai'
import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type FakeUpstream, fakeUpstream } from '../../support/fakes/fake-upstream.ts'
import { type Started, start, testKey } from '../../support/start.ts'

// Applications of the Responses API in front of an upstream that speaks Anthropic's: a tool loop in which the thinking
// block, its signature included, must go back to the upstream as it came.

let upstream: FakeUpstream
let sluice: Started

const thinking = { type: 'thinking', thinking: 'I should ask the tool.', signature: 'EqQBCgIYAxIM' }
const call = { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: { city: 'Zürich' } }
const usage = { input_tokens: 20, output_tokens: 10 }

const first = { content: [thinking, call], stop_reason: 'tool_use' }
const last = { content: [{ type: 'text', text: 'It is 21 °C.' }], stop_reason: 'end_turn' }

function whole(response: ServerResponse, answer: typeof first | typeof last): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(
    JSON.stringify({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude',
      stop_sequence: null,
      usage,
      ...answer,
    }),
  )
}

function streamed(response: ServerResponse, { content, stop_reason }: typeof first | typeof last) {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const tell = (data: { readonly type: string }) =>
    response.write(`event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`)
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude', content: [] }
  tell({ type: 'message_start', message: { ...message, usage } } as never)
  for (const [index, block] of content.entries()) {
    const [begun, deltas] = inPieces(block)
    tell({ type: 'content_block_start', index, content_block: begun } as never)
    for (const delta of deltas) tell({ type: 'content_block_delta', index, delta } as never)
    tell({ type: 'content_block_stop', index } as never)
  }
  tell({ type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage } as never)
  tell({ type: 'message_stop' })
  response.end()
}

function inPieces(block: object): readonly [object, readonly object[]] {
  if ('thinking' in block) {
    const { thinking: text, signature } = thinking
    return [
      { type: 'thinking', thinking: '', signature: '' },
      [
        { type: 'thinking_delta', thinking: text.slice(0, 5) },
        { type: 'thinking_delta', thinking: text.slice(5) },
        { type: 'signature_delta', signature },
      ],
    ]
  }
  if ('input' in block) {
    const text = JSON.stringify(call.input)
    return [
      { ...call, input: {} },
      [text.slice(0, 9), text.slice(9)].map((piece) => ({
        type: 'input_json_delta',
        partial_json: piece,
      })),
    ]
  }
  const { text } = block as { readonly text: string }
  return [{ type: 'text', text: '' }, [{ type: 'text_delta', text }]]
}

beforeAll(async () => {
  upstream = await fakeUpstream(({ body }, response) => {
    const answered = JSON.stringify(body['messages']).includes('tool_result')
    if (body['stream'] === true) streamed(response, answered ? last : first)
    else whole(response, answered ? last : first)
  })
  sluice = await start({
    providers: { claude: { type: 'anthropic', baseUrl: upstream.url, key: 'k' } },
  })
})

afterAll(async () => {
  await sluice[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})

const model = 'claude/claude-sonnet-4-5'
let before = 0

beforeEach(() => {
  before = upstream.seen.length
})

/** The second request must hold the first answer as the upstream gave it, and the tool's result. */
function expectTheLoop(): void {
  const requests = upstream.seen.slice(before)
  expect(requests).toHaveLength(2)
  const messages = requests[1]?.body['messages'] as { role: string; content: object[] }[]
  const assistant = messages.find(({ role }) => role === 'assistant')
  expect(assistant?.content).toEqual([thinking, expect.objectContaining(call)])
  expect(messages.at(-1)).toMatchObject({
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: 'toolu_1' }],
  })
}

const tools = [
  {
    type: 'function' as const,
    name: 'get_weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
    strict: false,
  },
]

describe('OpenAI’s client', () => {
  const client = () => new OpenAI({ baseURL: `${sluice.url}/v1`, apiKey: testKey, maxRetries: 0 })
  const asked = {
    model,
    input: 'Weather in Zürich?',
    tools,
    reasoning: { effort: 'medium' as const },
    max_output_tokens: 4000,
  }
  const result = { type: 'function_call_output' as const, call_id: 'toolu_1', output: '21' }

  it('continues a tool loop by previous_response_id', async () => {
    const one = await client().responses.create(asked)
    expect(one.output.map(({ type }) => type)).toEqual(['reasoning', 'function_call'])
    const two = await client().responses.create({
      ...asked,
      previous_response_id: one.id,
      input: [result],
    })
    expect(two.output_text).toBe('It is 21 °C.')
    expect(two.previous_response_id).toBe(one.id)
    expectTheLoop()
  })

  it('sends the whole conversation, streamed and without storage', async () => {
    const options = { ...asked, store: false, include: ['reasoning.encrypted_content' as const] }
    const one = await client().responses.stream(options).finalResponse()
    expect(one.output).toMatchObject([
      { type: 'reasoning', summary: [{ text: 'I should ask the tool.' }] },
      { type: 'function_call', arguments: '{"city":"Zürich"}' },
    ])
    const input = [{ role: 'user' as const, content: asked.input }, ...one.output, result]
    const two = await client()
      .responses.stream({ ...options, input: input as never })
      .finalResponse()
    expect(two.output_text).toBe('It is 21 °C.')
    expectTheLoop()
  })
})

describe('the AI SDK', () => {
  const openai = () => createOpenAI({ baseURL: `${sluice.url}/v1`, apiKey: testKey })
  const settings = () => ({
    model: openai().responses(model),
    prompt: 'Weather in Zürich?',
    maxOutputTokens: 4000,
    stopWhen: isStepCount(3),
    tools: {
      get_weather: tool({
        inputSchema: z.object({ city: z.string() }),
        execute: ({ city }) => `21 in ${city}`,
      }),
    },
    providerOptions: { openai: { reasoningEffort: 'medium', forceReasoning: true } },
  })

  it('refers to items of the first response by id', async () => {
    const { text, steps } = await generateText(settings())
    expect(steps).toHaveLength(2)
    expect(text).toBe('It is 21 °C.')
    expectTheLoop()
  })

  it('refers to items by id in a stream', async () => {
    const { text } = streamText(settings())
    expect(await text).toBe('It is 21 °C.')
    expectTheLoop()
  })

  it('sends whole items without storage', async () => {
    const given = settings()
    const providerOptions = {
      openai: {
        ...given.providerOptions.openai,
        store: false,
        include: ['reasoning.encrypted_content' as const],
      },
    }
    const { text } = await generateText({ ...given, providerOptions })
    expect(text).toBe('It is 21 °C.')
    expectTheLoop()
  })
})
