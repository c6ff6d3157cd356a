import { describe, expect, it } from 'vitest'
import { GatewayError } from '../../src/core/errors.ts'
import type { Message } from '../../src/operations/chat-message.ts'
import type { ChatRequest } from '../../src/operations/chat.ts'
import { chat } from '../../src/protocols/anthropic/chat.ts'
import { claudeModel } from '../../src/protocols/anthropic/model-family.ts'
import { codecContext } from '../support/codec-context.ts'

type Body = Readonly<Record<string, unknown>> & {
  readonly messages: readonly { readonly role: string; readonly content: readonly object[] }[]
}

const hello: Message = { role: 'user', content: 'Hello' }

function encode(given: Partial<ChatRequest>, model = 'claude-sonnet-4-5', report = false) {
  const dropped: string[] = []
  const context = codecContext({
    model,
    ...(report ? { unsupported: (param: string) => void dropped.push(param) } : {}),
  })
  const { body } = chat.encode(
    { model: 'm', messages: [hello], max_tokens: 100, ...given },
    context,
  )
  if (body?.kind !== 'json') throw new Error('no JSON')
  return { body: body.value as Body, dropped }
}

function refusal(given: Partial<ChatRequest>, model?: string): GatewayError {
  try {
    encode(given, model)
  } catch (thrown) {
    if (thrown instanceof GatewayError) return thrown
    throw thrown
  }
  throw new Error('was not refused')
}

const tool = { type: 'function' as const, function: { name: 'look' } }

describe('messages as Anthropic takes them', () => {
  it('gives a user message where a conversation holds none', () => {
    const { body } = encode({ messages: [{ role: 'system', content: 'Be brief.' }] })
    expect(body['system']).toEqual([{ type: 'text', text: 'Be brief.' }])
    expect(body.messages).toEqual([{ role: 'user', content: [{ type: 'text', text: '.' }] }])
  })

  it('puts all results of a step first in one user message, whatever stands between them', () => {
    const { body } = encode({
      messages: [
        hello,
        {
          role: 'assistant',
          content: ' ',
          tool_calls: ['a', 'b'].map((id) => ({
            id,
            ...tool,
            function: { name: 'look', arguments: '' },
          })),
        },
        { role: 'tool', tool_call_id: 'a', content: 'one' },
        { role: 'system', content: 'Hurry.' },
        { role: 'tool', tool_call_id: 'b', content: 'two' },
        {
          role: 'user',
          content: [
            { type: 'text', text: '\n' },
            { type: 'text', text: 'Well?' },
          ],
        },
      ],
      tools: [tool],
    })
    expect(body.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    expect(body.messages[1]?.content).toEqual([
      { type: 'tool_use', id: 'a', name: 'look', input: {} },
      { type: 'tool_use', id: 'b', name: 'look', input: {} },
    ])
    expect(body.messages[2]?.content).toEqual([
      { type: 'tool_result', tool_use_id: 'a', content: 'one' },
      { type: 'tool_result', tool_use_id: 'b', content: 'two' },
      { type: 'text', text: '<system>\nHurry.\n</system>' },
      { type: 'text', text: 'Well?' },
    ])
  })

  it('writes no more than four cache breakpoints, tools first', () => {
    const cache_control = { type: 'ephemeral' }
    const part = { type: 'text' as const, text: 'x', cache_control }
    const { body } = encode({
      messages: [
        { role: 'system', content: [part, part] },
        { role: 'user', content: [part, part] },
      ],
      tools: [{ ...tool, cache_control }],
    })
    expect(JSON.stringify(body).match(/cache_control/g)).toHaveLength(4)
    expect(body.messages[0]?.content).toEqual([part, { type: 'text', text: 'x' }])
  })

  it.each([
    ['image/svg+xml', 'messages[0].content[0].image_url'],
    ['image/tiff', 'messages[0].content[0].image_url'],
  ])('refuses a picture of type %s by its path', (type, param) => {
    const url = `data:${type};base64,AAAA`
    const error = refusal({
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
    })
    expect(error).toMatchObject({ status: 400, details: { param } })
    expect(error.message).toContain('image/png')
  })

  it('takes image/jpg for image/jpeg', () => {
    const image_url = { url: 'data:image/jpg;base64,/9j/4AAQ' }
    const { body } = encode({
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url }] }],
    })
    expect(body.messages[0]?.content).toEqual([
      { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: '/9j/4AAQ' } },
    ])
  })

  it('keeps a file by address and one in bare base64', () => {
    const { body } = encode({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'file', file: { file_data: 'https://example.com/a.pdf' } },
            { type: 'file', file: { filename: 'b.pdf', file_data: 'JVBERi0xLjQ=' } },
          ],
        },
      ],
    })
    expect(body.messages[0]?.content).toEqual([
      { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } },
      {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0xLjQ=' },
        title: 'b.pdf',
      },
    ])
  })

  it('says of sound, video and foreign files that Claude takes none', () => {
    const { body, dropped } = encode(
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'Listen' },
              { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
              { type: 'video_url', video_url: { url: 'https://example.com/a.mp4' } },
              { type: 'file', file: { file_id: 'file-1' } },
            ],
          },
        ],
      },
      'claude-sonnet-4-5',
      true,
    )
    expect(dropped).toEqual([
      'messages[0].content[1].input_audio',
      'messages[0].content[2].video_url',
      'messages[0].content[3].file.file_id',
    ])
    expect(body.messages[0]?.content).toEqual([{ type: 'text', text: 'Listen' }])
  })

  it('keeps a call of a free-form tool in the history and refuses such a tool itself', () => {
    const custom = { name: 'shell', input: 'ls' }
    const messages: Message[] = [
      hello,
      { role: 'assistant', content: null, tool_calls: [{ id: 'c', type: 'custom', custom }] },
      { role: 'tool', tool_call_id: 'c', content: 'a.txt' },
    ]
    expect(encode({ messages }).body.messages[1]?.content).toEqual([
      { type: 'tool_use', id: 'c', name: 'shell', input: { input: 'ls' } },
    ])
    expect(refusal({ tools: [{ type: 'custom', custom: { name: 'shell' } }] }).details.param).toBe(
      'tools[0]',
    )
  })
})

describe('limits and sampling by model', () => {
  it.each([
    ['claude-opus-5-5', 128_000],
    ['claude-sonnet-4-5-20250929', 64_000],
    ['anthropic/claude-opus-4.1', 32_000],
    ['claude-3-5-haiku-20241022', 8192],
    ['claude-3-haiku-20240307', 4096],
    ['claude-of-tomorrow-9', 128_000],
    ['kimi-k2', 8192],
  ])('%s gets max_tokens %i where the caller sets none', (model, most) => {
    const { body } = encode({ max_tokens: null }, model)
    expect(body['max_tokens']).toBe(most)
  })

  it('takes max_completion_tokens for max_tokens', () => {
    expect(encode({ max_tokens: null, max_completion_tokens: 7 }).body['max_tokens']).toBe(7)
  })

  it.each<[string, Partial<ChatRequest>, string[], object]>([
    ['claude-3-7-sonnet', { temperature: 0.5, top_p: 0.9 }, [], { temperature: 0.5, top_p: 0.9 }],
    ['claude-sonnet-4-5', { temperature: 0.5, top_p: 0.9 }, ['top_p'], { temperature: 0.5 }],
    ['claude-sonnet-4-5', { temperature: 1, top_p: 0.9 }, [], { top_p: 0.9 }],
    ['claude-opus-5', { temperature: 0.5, top_k: 3 }, ['temperature', 'top_k'], {}],
    ['claude-opus-5', { temperature: 1, top_p: 1, top_k: 0 }, [], {}],
    ['claude-sonnet-4-5', { reasoning_effort: 'low', temperature: 0 }, ['temperature'], {}],
    ['claude-sonnet-4-5', { reasoning_effort: 'low', top_p: 0.95 }, [], { top_p: 0.95 }],
  ])('%s takes of %j all but %j', (model, given, lost, sent) => {
    const { body, dropped } = encode({ max_tokens: 4000, ...given }, model, true)
    expect(dropped).toEqual(lost)
    const { temperature, top_p, top_k } = body
    expect(JSON.parse(JSON.stringify({ temperature, top_p, top_k }))).toEqual(sent)
  })

  it('knows models by name, whatever stands around it', () => {
    expect(claudeModel('us.anthropic.claude-opus-4-20250514-v1:0')).toBe(
      claudeModel('claude-opus-4'),
    )
    expect(claudeModel('claude-sonnet-4@20250514').structured).toBe(false)
    expect(claudeModel('claude-fable-5').forcedTools).toBe(true)
    expect(claudeModel('claude-fable-5-1').forcedTools).toBe(false)
  })
})

describe('thinking', () => {
  const enabled = (budget_tokens: number) => ({ type: 'enabled', budget_tokens })
  it.each<[string, Partial<ChatRequest>, object | undefined, object | undefined, number]>([
    ['claude-sonnet-4-5', {}, undefined, undefined, 2000],
    ['claude-sonnet-4-5', { reasoning_effort: 'minimal' }, enabled(1024), undefined, 2000],
    ['claude-sonnet-4-5', { reasoning_effort: 'high' }, enabled(16_384), undefined, 18_384],
    ['claude-sonnet-4-5', { thinking_budget: 1500 }, enabled(1500), undefined, 2000],
    ['claude-sonnet-4-5', { thinking_budget: -1 }, enabled(8192), undefined, 10_192],
    ['claude-sonnet-4-5', { thinking_budget: 0 }, { type: 'disabled' }, undefined, 2000],
    ['claude-opus-4-6', { thinking_budget: 1500 }, enabled(1500), undefined, 2000],
    ['claude-opus-4-6', { reasoning_effort: 'max' }, { type: 'adaptive' }, { effort: 'max' }, 2000],
    [
      'claude-opus-5',
      { reasoning_effort: 'minimal' },
      { type: 'adaptive', display: 'summarized' },
      { effort: 'low' },
      2000,
    ],
    ['claude-opus-5', { reasoning_effort: 'none' }, { type: 'disabled' }, undefined, 2000],
    ['claude-sonnet-5-5', { thinking_budget: 0 }, { type: 'between_tools' }, undefined, 2000],
  ])('%s: %j', (model, given, thinking, config, max) => {
    const { body } = encode({ max_tokens: 2000, ...given }, model)
    expect(body['thinking']).toEqual(thinking)
    expect(body['output_config']).toEqual(config)
    expect(body['max_tokens']).toBe(max)
  })

  it.each<[string, Partial<ChatRequest>, string]>([
    ['claude-3-5-haiku', { reasoning_effort: 'low' }, 'reasoning_effort'],
    ['claude-opus-4-6', { reasoning_effort: 'xhigh' }, 'reasoning_effort'],
    ['claude-sonnet-4-5', { thinking_budget: 512 }, 'thinking_budget'],
    ['claude-opus-5', { thinking_budget: 4096 }, 'thinking_budget'],
    ['claude-opus-5-5', { thinking_budget: 0 }, 'thinking_budget'],
    ['claude-opus-5-5', { reasoning_effort: 'none' }, 'reasoning_effort'],
  ])('%s refuses %j', (model, given, param) => {
    expect(refusal(given, model)).toMatchObject({
      code: 'unsupported_parameter',
      details: { param },
    })
  })

  it('is left out in a step of a tool loop that began without it', () => {
    const call = { id: 'a', ...tool, function: { name: 'look', arguments: '{}' } }
    const loop = (assistant: Partial<Message>): Message[] => [
      hello,
      { role: 'assistant', content: null, tool_calls: [call], ...assistant },
      { role: 'tool', tool_call_id: 'a', content: '1' },
    ]
    const asked = { tools: [tool], reasoning_effort: 'low' as const, max_tokens: 4000 }
    expect(encode({ ...asked, messages: loop({}) }).body['thinking']).toBeUndefined()
    const block = { type: 'thinking' as const, thinking: 'Hm', signature: 'Eq' }
    const thought = encode({ ...asked, messages: loop({ thinking_blocks: [block] }) }).body
    expect(thought['thinking']).toEqual(enabled(2048))
    expect(thought.messages[1]?.content[0]).toEqual(block)
  })

  it('does not go with a forced call', () => {
    const forced = { tools: [tool], tool_choice: 'required' as const, max_tokens: 4000 }
    expect(refusal({ ...forced, reasoning_effort: 'low' }).details.param).toBe('tool_choice')
    expect(refusal(forced, 'claude-opus-5-5').details.param).toBe('tool_choice')
    expect(
      encode({ ...forced, reasoning_effort: 'low' }, 'claude-opus-5').body['tool_choice'],
    ).toEqual({ type: 'any' })
  })
})

describe('structured output', () => {
  const schema = { type: 'object', properties: { a: { type: 'integer', minimum: 1 } } }
  const format = (json_schema: Record<string, unknown>): Partial<ChatRequest> => ({
    response_format: { type: 'json_schema', json_schema },
  })

  it('closes objects and says the bounds in words', () => {
    const { body } = encode(format(schema))
    expect(body['output_config']).toEqual({
      format: {
        type: 'json_schema',
        schema: {
          type: 'object',
          properties: { a: { type: 'integer', description: '(minimum: 1)' } },
          additionalProperties: false,
        },
      },
    })
  })

  it('is a forced tool for a schema with free keys, as for json_object', () => {
    const open = { type: 'object', properties: {}, additionalProperties: { type: 'number' } }
    const { body } = encode(format({ name: 'n', description: 'Numbers.', schema: open }))
    expect(body['output_config']).toBeUndefined()
    expect(body['tools']).toEqual([
      {
        name: 'answer_in_json',
        description: 'Give the answer by calling this tool. Numbers.',
        input_schema: open,
      },
    ])
    expect(body['tool_choice']).toEqual({
      type: 'tool',
      name: 'answer_in_json',
      disable_parallel_tool_use: true,
    })
    const free = encode({ response_format: { type: 'json_object' } }).body
    expect(free['tools']).toMatchObject([{ input_schema: { type: 'object' } }])
  })

  it('says so where a model can be held to nothing', () => {
    const asked: Partial<ChatRequest> = { response_format: { type: 'json_object' } }
    expect(refusal(asked, 'claude-opus-5-5').details.param).toBe('response_format')
  })

  it('yields to a call that the caller forces', () => {
    const { body } = encode({
      response_format: { type: 'json_object' },
      tools: [tool],
      tool_choice: 'required',
    })
    expect(body['tools']).toHaveLength(1)
    expect(body['tool_choice']).toEqual({ type: 'any' })
  })

  it('sends strict tools only where they hold', () => {
    const tools = [{ ...tool, function: { name: 'look', strict: true } }]
    expect(encode({ tools }).body['tools']).toMatchObject([{ strict: true }])
    expect(refusal({ tools }, 'claude-3-7-sonnet').details.param).toBe('tools[0].function.strict')
  })
})

it.each([
  ['seed', { seed: 0 }],
  ['frequency_penalty', { frequency_penalty: 1 }],
  ['prediction', { prediction: { type: 'content', content: 'x' } }],
  ['modalities', { modalities: ['text', 'audio'] as ('text' | 'audio')[] }],
  ['verbosity', { verbosity: 'low' as const }],
  ['service_tier', { service_tier: 'flex' }],
  ['stop', { stop: ' ' }],
])('refuses %s', (param, given) => {
  expect(refusal(given)).toMatchObject({ code: 'unsupported_parameter', details: { param } })
})

it('leaves out what only hints or says the default', () => {
  const { body, dropped } = encode(
    {
      n: 2,
      store: true,
      metadata: { a: 'b' },
      prompt_cache_key: 'k',
      stream_options: { include_usage: true },
      stream: true,
      logprobs: false,
      logit_bias: {},
      modalities: ['text'],
      response_format: { type: 'text' },
      parallel_tool_calls: true,
      service_tier: 'auto',
      stop: [],
    },
    'claude-sonnet-4-5',
    true,
  )
  expect(dropped).toEqual([])
  expect(Object.keys(body)).toEqual(['model', 'max_tokens', 'messages', 'stream'])
})
