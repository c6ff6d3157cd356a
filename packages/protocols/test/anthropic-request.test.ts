import { describe, expect, it } from 'vitest'
import { encode, hello, refusal, tool } from '../../../test/support/formats/anthropic-encode.ts'
import type { Message } from '../../contract/src/operations/chat-message.ts'
import type { ChatRequest } from '../../contract/src/operations/chat-request.ts'

describe('chat messages translated for Anthropic', () => {
  it('get a user message if there is none', () => {
    const { body } = encode({ messages: [{ role: 'system', content: 'Be brief.' }] })
    expect(body['system']).toEqual([{ type: 'text', text: 'Be brief.' }])
    expect(body.messages).toEqual([{ role: 'user', content: [{ type: 'text', text: '.' }] }])
  })

  it('put all tool results first in one user message', () => {
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

  it('keep at most four cache breakpoints, tools first, and report the rest', () => {
    const cache_control = { type: 'ephemeral' }
    const part = { type: 'text' as const, text: 'x', cache_control }
    const { body, dropped } = encode({
      messages: [
        { role: 'system', content: [part, part] },
        { role: 'user', content: [part, part] },
      ],
      tools: [{ ...tool, cache_control }],
    })
    expect(JSON.stringify(body).match(/cache_control/g)).toHaveLength(4)
    expect(body.messages[0]?.content).toEqual([part, { type: 'text', text: 'x' }])
    expect(dropped).toEqual(['cache_control'])
    const four = encode({ messages: [{ role: 'user', content: [part, part, part, part] }] })
    expect(four.dropped).toEqual([])
  })

  it.each([
    ['image/svg+xml', 'messages[0].content[0].image_url'],
    ['image/tiff', 'messages[0].content[0].image_url'],
  ])('reject an image of type %s by its path', (type, param) => {
    const url = `data:${type};base64,AAAA`
    const error = refusal({
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
    })
    expect(error).toMatchObject({ status: 400, details: { param } })
    expect(error.message).toContain('image/png')
  })

  it('send image/jpg as image/jpeg', () => {
    const image_url = { url: 'data:image/jpg;base64,/9j/4AAQ' }
    const { body } = encode({
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url }] }],
    })
    expect(body.messages[0]?.content).toEqual([
      { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: '/9j/4AAQ' } },
    ])
  })

  it('keep a file by URL and one in base64', () => {
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

  it('drop and report audio, video and unsupported files', () => {
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

  it('send a custom tool as a function with one string, also in the history', () => {
    const custom = { name: 'shell', input: 'ls' }
    const messages: Message[] = [
      hello,
      { role: 'assistant', content: null, tool_calls: [{ id: 'c', type: 'custom', custom }] },
      { role: 'tool', tool_call_id: 'c', content: 'a.txt' },
    ]
    expect(encode({ messages }).body.messages[1]?.content).toEqual([
      { type: 'tool_use', id: 'c', name: 'shell', input: { input: 'ls' } },
    ])
    const { body } = encode({ tools: [{ type: 'custom', custom: { name: 'shell' } }] })
    expect(body['tools']).toMatchObject([
      { name: 'shell', input_schema: { required: ['input'], properties: { input: {} } } },
    ])
  })
})

describe('structured output', () => {
  const schema = { type: 'object', properties: { a: { type: 'integer', minimum: 1 } } }
  const format = (schema: Record<string, unknown>, description = ''): Partial<ChatRequest> => ({
    response_format: { type: 'json_schema', json_schema: { name: 'n', description, schema } },
  })

  it('closes objects and moves bounds to descriptions', () => {
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

  it('uses a forced tool for json_object and schemas with free keys', () => {
    const open = { type: 'object', properties: {}, additionalProperties: { type: 'number' } }
    const { body } = encode(format(open, 'Numbers.'))
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

  it('is rejected where a model cannot be forced', () => {
    const asked: Partial<ChatRequest> = { response_format: { type: 'json_object' } }
    expect(refusal(asked, 'claude-opus-5-5').details.param).toBe('response_format')
  })

  it('gives way to a call that the caller forces', () => {
    const { body } = encode({
      response_format: { type: 'json_object' },
      tools: [tool],
      tool_choice: 'required',
    })
    expect(body['tools']).toHaveLength(1)
    expect(body['tool_choice']).toEqual({ type: 'any' })
  })

  it('adds a type to tool schemas without one', () => {
    const named = (parameters?: Record<string, unknown>) => ({
      type: 'function' as const,
      function: { name: 'look', ...(parameters ? { parameters } : {}) },
    })
    const { body } = encode({ tools: [named(), named({}), named({ properties: { a: {} } })] })
    expect(body['tools']).toMatchObject([
      { input_schema: { type: 'object', properties: {} } },
      { input_schema: { type: 'object' } },
      { input_schema: { type: 'object', properties: { a: {} } } },
    ])
  })

  it('sends strict tools only where they are enforced', () => {
    const tools = [{ ...tool, function: { name: 'look', strict: true } }]
    expect(encode({ tools }).body['tools']).toMatchObject([{ strict: true }])
    const older = encode({ tools }, 'claude-3-7-sonnet')
    expect(older.dropped).toEqual(['tools[0].function.strict'])
    expect(older.body['tools']).toEqual([expect.not.objectContaining({ strict: true })])
  })
})

it.each([
  ['logit_bias', { logit_bias: { '1': 2 } }],
  ['modalities', { modalities: ['text', 'audio'] as ('text' | 'audio')[] }],
])('rejects %s', (param, given) => {
  expect(refusal(given)).toMatchObject({ code: 'unsupported_parameter', details: { param } })
})

it('does not send whitespace stop sequences', () => {
  const { body, dropped } = encode({ stop: ['\n\n', 'a', ' '] })
  expect(body['stop_sequences']).toEqual(['a'])
  expect(encode({ stop: [' '] }).body).not.toHaveProperty('stop_sequences')
  expect(dropped).toEqual([])
})

it('drops and reports hints', () => {
  const { body, dropped } = encode({
    user: 'u',
    safety_identifier: 's',
    store: true,
    metadata: { a: 'b' },
    prompt_cache_key: 'k',
    prediction: { type: 'content', content: 'a' },
    verbosity: 'low',
    service_tier: 'flex',
    seed: 0,
    frequency_penalty: 1,
    presence_penalty: -1,
    temperature: 1.5,
  })
  expect(dropped.toSorted()).toEqual([
    'frequency_penalty',
    'metadata',
    'prediction',
    'presence_penalty',
    'prompt_cache_key',
    'seed',
    'service_tier',
    'store',
    'temperature',
    'user',
    'verbosity',
  ])
  expect(body['metadata']).toEqual({ user_id: 's' })
})

it('drops default values silently', () => {
  const { body, dropped } = encode(
    {
      n: 2,
      store: false,
      metadata: {},
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
