import OpenAI from 'openai'
import type {
  Response as ApiResponse,
  ResponseStreamEvent,
} from 'openai/resources/responses/responses'
import { describe, expect, it } from 'vitest'
import { formatContext } from '../../../test/support/codec-context.ts'
import { GatewayError } from '../../contract/src/core/errors.ts'
import type { ChatChunk, ChatDelta, FinishReason } from '../../contract/src/operations/chat.ts'
import type { Step } from '../../contract/src/operations/operation.ts'
import { validate } from '../../contract/src/operations/validate.ts'
import { restore } from '../src/carried-reasoning.ts'
import { responses } from '../src/openai-responses/client/formats.ts'
import { ResponseObject } from '../src/openai-responses/client/schema.ts'

const request = {
  model: 'public-model',
  input: 'Hello',
  include: ['message.output_text.logprobs', 'reasoning.encrypted_content'],
  tools: [
    { type: 'function', name: 'get_weather', parameters: { type: 'object' }, strict: false },
    { type: 'custom', name: 'write_sql' },
  ],
}

function chunk(delta: ChatDelta, finish: FinishReason | null = null): Step<ChatChunk> {
  return {
    event: {
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'public-model',
      choices: [{ index: 0, delta, finish_reason: finish, logprobs: null }],
    },
  }
}

const usage: Step<ChatChunk> = {
  usage: { inputTokens: 10, outputTokens: 7, cachedInputTokens: 4, reasoningTokens: 3 },
}

function written(deltas: readonly ChatDelta[], finish: FinishReason = 'stop'): string {
  const writer = responses.writer!(request, formatContext(), '')
  const steps = [chunk({ role: 'assistant', content: '' }), ...deltas.map((delta) => chunk(delta))]
  return (
    [...steps, chunk({}, finish), usage].map((step) => writer.write(step)).join('') + writer.end()
  )
}

function eventsIn(text: string): ResponseStreamEvent[] {
  return text
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => {
      const [event, data] = block.split('\n')
      const parsed = JSON.parse(data!.slice('data: '.length)) as ResponseStreamEvent
      expect(event).toBe(`event: ${parsed.type}`)
      return parsed
    })
}

/** What OpenAI's own client makes of the text, and every event it saw. */
async function accumulated(text: string): Promise<ApiResponse> {
  const client = new OpenAI({
    apiKey: 'none',
    maxRetries: 0,
    fetch: async () => new Response(text, { headers: { 'content-type': 'text/event-stream' } }),
  })
  const stream = client.responses.stream({ model: 'public-model', input: 'Hello' })
  return stream.finalResponse()
}

const cases: Readonly<Record<string, { deltas: readonly ChatDelta[]; finish?: FinishReason }>> = {
  text: { deltas: [{ content: 'Hel' }, { content: 'lo 👋' }] },
  'cut by its limit': { deltas: [{ content: 'Hel' }], finish: 'length' },
  'cut by a filter': { deltas: [{ content: 'Hel' }], finish: 'content_filter' },
  refusal: { deltas: [{ refusal: 'I will ' }, { refusal: 'not.' }] },
  'text with a citation and log probabilities': {
    deltas: [
      { content: 'See here' },
      {
        annotations: [
          {
            type: 'url_citation',
            url_citation: { url: 'https://e.example', title: 'E', start_index: 4, end_index: 8 },
          },
        ],
      },
    ],
  },
  'reasoning before text': {
    deltas: [
      { reasoning_content: 'Let me ' },
      { reasoning_content: 'think.' },
      { content: 'Four.' },
    ],
  },
  'reasoning that must come back': {
    deltas: [
      { reasoning_content: 'Let me think.' },
      { thinking_blocks: [{ type: 'thinking', thinking: 'Let me think.', signature: 'sig' }] },
      { thinking_blocks: [{ type: 'redacted_thinking', data: 'opaque' }] },
      { content: 'Four.' },
    ],
  },
  'parallel calls whose pieces interleave': {
    deltas: [
      { content: 'One moment.' },
      { tool_calls: [call(0, 'call_a', 'get_weather', '')] },
      { tool_calls: [{ index: 0, function: { arguments: '{"city":"Z' } }] },
      { tool_calls: [call(1, 'call_b', 'get_weather', '')] },
      { tool_calls: [{ index: 1, function: { arguments: '{"city":' } }] },
      { tool_calls: [{ index: 0, function: { arguments: 'ürich"}' } }] },
      { tool_calls: [{ index: 1, function: { arguments: '"Bern"}' } }] },
    ],
    finish: 'tool_calls',
  },
  'a call without arguments': {
    deltas: [{ tool_calls: [call(0, 'call_a', 'get_weather', '')] }],
    finish: 'tool_calls',
  },
  'a custom tool': {
    deltas: [
      {
        tool_calls: [
          { index: 0, id: 'c', type: 'custom', custom: { name: 'write_sql', input: 'SEL' } },
        ],
      },
      { tool_calls: [{ index: 0, custom: { input: 'ECT 1' } }] },
    ],
    finish: 'tool_calls',
  },
  'text after a call': {
    deltas: [{ tool_calls: [call(0, 'call_a', 'get_weather', '{}')] }, { content: 'Wait.' }],
    finish: 'tool_calls',
  },
  'nothing at all': { deltas: [] },
}

function call(index: number, id: string, name: string, args: string) {
  return { index, id, type: 'function' as const, function: { name, arguments: args } }
}

describe.each(Object.entries(cases))('%s', (_name, { deltas, finish }) => {
  const text = written(deltas, finish)
  const events = eventsIn(text)

  it('numbers its events and ends with the whole response', () => {
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index))
    expect(events.slice(0, 2).map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
    ])
    const last = events.at(-1)!
    expect(last.type).toMatch(/^response\.(completed|incomplete)$/)
    if ('response' in last) validate(ResponseObject, last.response)
    expect(text).not.toContain('[DONE]')
  })

  it('opens and closes every item and part once', () => {
    const keys = (type: string) =>
      events.flatMap((event) =>
        event.type === type
          ? [
              `${'output_index' in event ? event.output_index : ''}/${'content_index' in event ? event.content_index : ''}`,
            ]
          : [],
      )
    for (const what of ['output_item', 'content_part', 'reasoning_summary_part'])
      expect(keys(`response.${what}.done`).toSorted()).toEqual(
        keys(`response.${what}.added`).toSorted(),
      )
  })

  it('accumulates to the same response in OpenAI’s client', async () => {
    const last = events.at(-1)!
    const whole = 'response' in last ? last.response : undefined
    const { output_text: _, ...response } = await accumulated(text)
    expect(JSON.parse(JSON.stringify(response))).toMatchObject({
      ...whole,
      output: expect.anything() as never,
    })
    expect(response.output).toMatchObject(whole!.output as never)
    const folded = await accumulated(withoutFinalOutput(text))
    expect(folded.output).toMatchObject(whole!.output as never)
  })
})

/** Without the output in the last event the client has only what the pieces told. */
function withoutFinalOutput(text: string): string {
  return text.replace(
    /(event: response\.(?:completed|incomplete)\ndata: )(.*)\n\n$/,
    (_all, head: string, data: string) => {
      const event = JSON.parse(data) as { response: { output?: unknown } }
      delete event.response.output
      return `${head}${JSON.stringify(event)}\n\n`
    },
  )
}

describe('the final response', () => {
  const finalOf = (name: keyof typeof cases) => {
    const last = eventsIn(written(cases[name]!.deltas, cases[name]!.finish)).at(-1)!
    return (last as Extract<ResponseStreamEvent, { type: 'response.completed' }>).response
  }

  it('reports usage', () => {
    expect(finalOf('text').usage).toEqual({
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 4, cache_write_tokens: 0 },
      output_tokens: 7,
      output_tokens_details: { reasoning_tokens: 3 },
      total_tokens: 17,
    })
  })

  it('is incomplete if the answer was cut', () => {
    expect(finalOf('cut by its limit')).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      output: [{ status: 'incomplete' }],
    })
    expect(finalOf('cut by a filter')).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'content_filter' },
    })
  })

  it('carries foreign thinking in encrypted_content', () => {
    const [thinking, redacted] = finalOf('reasoning that must come back').output
    expect(thinking).toMatchObject({ summary: [{ type: 'summary_text', text: 'Let me think.' }] })
    const opaque = (item: unknown) => (item as { encrypted_content: string }).encrypted_content
    expect(restore(opaque(thinking))).toEqual({
      type: 'thinking',
      thinking: 'Let me think.',
      signature: 'sig',
    })
    expect(restore(opaque(redacted))).toEqual({ type: 'redacted_thinking', data: 'opaque' })
  })

  it('has {} for a call without arguments', () => {
    expect(finalOf('a call without arguments').output).toMatchObject([
      { type: 'function_call', call_id: 'call_a', arguments: '{}', status: 'completed' },
    ])
  })
})

describe('failures', () => {
  it('end the stream with response.failed as the last event', async () => {
    const writer = responses.writer!(request, formatContext(), '')
    const error = new GatewayError('upstream_cut', 'The upstream closed the stream')
    const text =
      writer.write(chunk({ role: 'assistant', content: '' })) +
      writer.write(chunk({ content: 'Hel' })) +
      writer.fail(error)
    const last = eventsIn(text).at(-1)!
    expect(last).toMatchObject({
      type: 'response.failed',
      response: {
        status: 'failed',
        error: { code: 'stream_interrupted', message: 'The upstream closed the stream' },
        usage: null,
      },
    })
    expect(text).not.toMatch(/response\.(completed|incomplete)/)
    expect((await accumulated(text)).status).toBe('failed')
  })
})
