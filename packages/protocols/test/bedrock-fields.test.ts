import { describe, expect, test } from 'vitest'
import { encodedChat, userMessage } from '../../../test/support/formats/encoded-chat.ts'
import type { ChatRequest } from '../../contract/src/operations/chat-request.ts'
import { bedrock } from '../src/bedrock/index.ts'

const claude = 'anthropic.claude-sonnet-4-5-20250929-v1:0'
const user = userMessage
const { sent, refusal, dropped, leftOut } = encodedChat(bedrock.codecs.chat!, claude)

describe('chat fields for Bedrock', () => {
  const tools: ChatRequest['tools'] = [{ type: 'function', function: { name: 'f', strict: true } }]
  test.each<[string, Partial<ChatRequest>]>([
    ['logit_bias', { logit_bias: { '1': 2 } }],
    ['logprobs', { logprobs: true }],
    ['modalities', { modalities: ['audio'] }],
  ])('%s is rejected', (param, request) => {
    expect(refusal(request)).toBe(param)
    expect(dropped(request).params).toContain(param)
  })

  test.each<[string, Partial<ChatRequest>]>([
    ['presence_penalty', { presence_penalty: 0.5 }],
    ['frequency_penalty', { frequency_penalty: 0.5 }],
    ['seed', { seed: 1 }],
    ['temperature', { temperature: 1.5 }],
  ])('%s is dropped and reported', (param, request) => {
    expect(leftOut(request)).toEqual([param])
    expect(sent(request)).toEqual(sent({}))
  })

  test('default values are dropped silently', () => {
    const body = sent({
      n: 1,
      presence_penalty: 0,
      frequency_penalty: 0,
      logprobs: false,
      logit_bias: {},
      modalities: ['text'],
      parallel_tool_calls: true,
      response_format: { type: 'text' },
      user: 'u',
      store: false,
      metadata: { a: 'b' },
      seed: null,
    })
    expect(body).toEqual({ messages: [{ role: 'user', content: [{ text: 'hi' }] }] })
  })

  test('hints are dropped and reported', () => {
    const fields = { user: 'u', verbosity: 'low', metadata: { a: 'b' }, store: true } as const
    expect(leftOut(fields).toSorted()).toEqual(['metadata', 'store', 'user', 'verbosity'])
  })

  test('top_k is sent where the model’s maker expects it', () => {
    expect(sent({ top_k: 5 })['additionalModelRequestFields']).toEqual({ top_k: 5 })
    expect(
      sent({ top_k: 5 }, { model: 'amazon.nova-lite-v1:0' })['additionalModelRequestFields'],
    ).toEqual({
      inferenceConfig: { topK: 5 },
    })
  })

  test('the matched stop sequence is requested', () => {
    expect(sent({ stop: ['END'] })).toMatchObject({
      inferenceConfig: { stopSequences: ['END'] },
      additionalModelResponseFieldPaths: ['/delta/stop_sequence'],
    })
  })

  test.each<[string, Partial<ChatRequest>, unknown]>([
    ['auto', { tool_choice: 'auto' }, { auto: {} }],
    ['required', { tool_choice: 'required' }, { any: {} }],
    [
      'one function',
      { tool_choice: { type: 'function', function: { name: 'f' } } },
      { tool: { name: 'f' } },
    ],
  ])('tool_choice %s is translated', (_name, request, toolChoice) => {
    expect(sent({ tools, ...request })['toolConfig']).toEqual({
      tools: [
        {
          toolSpec: {
            name: 'f',
            inputSchema: { json: { type: 'object', properties: {}, additionalProperties: false } },
            strict: true,
          },
        },
      ],
      toolChoice,
    })
  })

  test.each([
    ['anthropic.claude-opus-4-7', 'tool_choice'],
    ['us.anthropic.claude-sonnet-4-6', 'tool_choice'],
    ['anthropic.claude-opus-4-8', undefined],
  ])('%s: the error of a forced tool while thinking names %s', (model, refused) => {
    const asked = { tools, tool_choice: 'required', reasoning_effort: 'high' } as const
    if (refused !== undefined) expect(refusal(asked, model)).toBe(refused)
    else expect(sent(asked, { model })).toMatchObject({ toolConfig: { toolChoice: { any: {} } } })
  })

  test('tool_choice none removes the tools', () => {
    expect(sent({ tools, tool_choice: 'none' })).not.toHaveProperty('toolConfig')
  })

  test('tools of past calls are kept; none and parallel_tool_calls use Claude’s own field', () => {
    const messages: ChatRequest['messages'] = [
      user,
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'a', function: { name: 'g', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: 'x' },
    ]
    const spec = (name: string) => ({
      toolSpec: { name, inputSchema: { json: { type: 'object', properties: {} } } },
    })
    expect(sent({ messages })['toolConfig']).toEqual({ tools: [spec('g')] })
    expect(sent({ messages, tool_choice: 'none' })).toMatchObject({
      toolConfig: { tools: [spec('g')] },
      additionalModelRequestFields: { tool_choice: { type: 'none' } },
    })
    expect(refusal({ messages, tool_choice: 'none' }, 'meta.llama3-1-70b-instruct-v1:0')).toBe(
      'tool_choice',
    )
    expect(sent({ tools, parallel_tool_calls: false })['additionalModelRequestFields']).toEqual({
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    })
    expect(leftOut({ tools, parallel_tool_calls: false }, 'amazon.nova-pro-v1:0')).toEqual([
      'parallel_tool_calls',
    ])
  })

  test.each<[string, Partial<ChatRequest>, unknown]>([
    [claude, { reasoning_effort: 'low' }, { thinking: { type: 'enabled', budget_tokens: 2048 } }],
    [
      claude,
      { reasoning_effort: 'high', max_completion_tokens: 4096 },
      { thinking: { type: 'enabled', budget_tokens: 16_384 } },
    ],
    [claude, { thinking_budget: 5000 }, { thinking: { type: 'enabled', budget_tokens: 5000 } }],
    [
      'us.anthropic.claude-opus-4-6-v1',
      { reasoning_effort: 'max' },
      { thinking: { type: 'adaptive' }, output_config: { effort: 'max' } },
    ],
    ['anthropic.claude-sonnet-4-6', { thinking_budget: -1 }, { thinking: { type: 'adaptive' } }],
    [
      'amazon.nova-2-lite-v1:0',
      { reasoning_effort: 'minimal' },
      { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'low' } },
    ],
    ['openai.gpt-oss-120b-1:0', { reasoning_effort: 'high' }, { reasoning_effort: 'high' }],
  ])('%s: translates thinking %j', (model, request, fields) => {
    expect(sent(request, { model })['additionalModelRequestFields']).toEqual(fields)
  })

  test('the output limit is raised by the thinking budget', () => {
    expect(
      sent({ reasoning_effort: 'high', max_completion_tokens: 4096 })['inferenceConfig'],
    ).toEqual({
      maxTokens: 16_384 + 4096,
    })
  })

  test('the newest Claude gets neither sampling nor a forced call', () => {
    const newest = 'anthropic.claude-opus-5-5'
    expect(leftOut({ temperature: 0.5, top_p: 0.5 }, newest)).toEqual(['temperature', 'top_p'])
    expect(leftOut({ top_k: 5 }, newest)).toEqual(['top_k'])
    expect(refusal({ tools, tool_choice: 'required' }, newest)).toBe('tool_choice')
    expect(sent({ temperature: 1 }, { model: newest })).not.toHaveProperty('inferenceConfig')
  })

  test('thinking is dropped for a model without it', () => {
    const older = 'anthropic.claude-3-5-sonnet-20241022-v2:0'
    expect(leftOut({ reasoning_effort: 'high' }, older)).toEqual(['reasoning_effort'])
    expect(leftOut({ reasoning_effort: 'high' }, 'amazon.nova-pro-v1:0')).toEqual([
      'reasoning_effort',
    ])
    expect(leftOut({ thinking_budget: 99 }, 'amazon.nova-pro-v1:0')).toEqual(['thinking_budget'])
  })

  test('at most four cache points are kept, in reading order', () => {
    const text = (said: string) => ({ type: 'text' as const, text: said, cache_control: {} })
    const body = sent({
      tools: [{ ...tools[0]!, cache_control: {} }],
      messages: [
        { role: 'system', content: [text('a'), text('b')] },
        { role: 'user', content: [text('c'), text('d'), text('e')] },
      ],
    })
    const point = { cachePoint: { type: 'default' } }
    expect(body['system']).toEqual([{ text: 'a' }, point, { text: 'b' }, point])
    expect(body['messages']).toEqual([
      { role: 'user', content: [{ text: 'c' }, point, { text: 'd' }, { text: 'e' }] },
    ])
  })

  describe('cache points are sent only if the model supports them', () => {
    const cache_control = { type: 'ephemeral', ttl: '1h' }
    const messages = [
      { role: 'system' as const, content: [{ type: 'text' as const, text: 's', cache_control }] },
      { role: 'user' as const, content: 'a' },
      {
        role: 'assistant' as const,
        tool_calls: [
          { id: 'c', type: 'function' as const, function: { name: 't', arguments: '{}' } },
        ],
      },
      {
        role: 'tool' as const,
        tool_call_id: 'c',
        content: [{ type: 'text' as const, text: 'r', cache_control }],
      },
    ]
    const marked = { tools: [{ ...tools[0]!, cache_control }], messages }
    const hour = 'anthropic.claude-opus-4-8'

    test.each([
      [hour, 3, '1h'],
      ['global.anthropic.claude-sonnet-4-5-20250929-v1:0', 3, '1h'],
      ['anthropic.claude-sonnet-4-20250514-v1:0', 3, undefined],
      ['anthropic.claude-3-5-haiku-20241022-v1:0', 3, undefined],
      ['anthropic.claude-3-haiku-20240307-v1:0', 0, undefined],
      ['us.amazon.nova-2-lite-v1:0', 1, undefined],
      ['meta.llama4-maverick-17b-instruct-v1:0', 0, undefined],
      ['openai.gpt-oss-120b-1:0', 0, undefined],
      ['arn:aws:bedrock:us-east-1:1:application-inference-profile/p', 3, '1h'],
      ['arn:aws:bedrock:us-east-1:1:inference-profile/p', 3, '1h'],
      ['arn:aws:bedrock:us-east-1:1:provisioned-model/p', 3, '1h'],
    ])('%s', (model, count, ttl) => {
      const written = JSON.stringify(sent(marked, { model }))
      expect(written.match(/"cachePoint"/g) ?? []).toHaveLength(count)
      expect(written.match(/"ttl":"1h"/g) ?? []).toHaveLength(ttl === undefined ? 0 : count)
      if (count > 0) expect(written).toContain('{"text":"s"},{"cachePoint"')
      expect(leftOut(marked as never, model).includes('cache_control')).toBe(count < 3)
    })

    test('not after a document', () => {
      const file = { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' }
      const document = { type: 'file' as const, file, cache_control: {} }
      const user = (content: object[]) =>
        sent({ messages: [{ role: 'user', content }] as never }, { model: hour })['messages']
      const written = { document: { format: 'pdf', name: 'a', source: { bytes: 'JVBERi0=' } } }
      expect(user([{ type: 'text', text: 'q' }, document, document])).toMatchObject([
        { content: [{ text: 'q' }, { cachePoint: { type: 'default' } }, written, {}] },
      ])
      expect(JSON.stringify(user([document, { type: 'text', text: 'q' }]))).not.toContain(
        'cachePoint',
      )
    })
  })

  test('thinking is translated per model and limits other fields', () => {
    expect(sent({ thinking_budget: 2000 }, { model: 'anthropic.claude-opus-4-7' })).toMatchObject({
      additionalModelRequestFields: {
        thinking: { type: 'adaptive' },
        output_config: { effort: 'low' },
      },
    })
    expect(leftOut({ reasoning_effort: 'high', temperature: 0.2 })).toEqual(['temperature'])
    expect(refusal({ reasoning_effort: 'high', tools, tool_choice: 'required' })).toBe(
      'tool_choice',
    )
  })
})
