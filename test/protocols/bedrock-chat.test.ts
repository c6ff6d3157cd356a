import { describe, expect, test } from 'vitest'
import type { ChatRequest } from '../../src/operations/chat.ts'
import { bedrock } from '../../src/protocols/bedrock/index.ts'
import type { CodecContext } from '../../src/protocols/protocol.ts'
import { codecContext, received } from '../support/codec-context.ts'
import { readStream } from '../support/read-stream.ts'

const codec = bedrock.codecs.chat!
const claude = 'anthropic.claude-sonnet-4-5-20250929-v1:0'
const user = { role: 'user', content: 'hi' } as const

function sent(
  request: Partial<ChatRequest>,
  given: Partial<CodecContext> = {},
): Record<string, unknown> {
  const context = codecContext({ model: claude, ...given })
  const { body } = codec.encode({ model: 'm', messages: [user], ...request }, context)
  return (body as { value: Record<string, unknown> }).value
}

function refusal(request: Partial<ChatRequest>, model = claude): string | undefined {
  try {
    sent(request, { model })
  } catch (error) {
    return (error as { details: { param?: string } }).details.param
  }
  return 'nothing was refused'
}

function dropped(request: Partial<ChatRequest>, model = claude) {
  const params: string[] = []
  const body = sent(request, { model, unsupported: (param) => void params.push(param) })
  return { params, body }
}

test('the model stands percent-encoded in the path', () => {
  const arn = 'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc'
  const { path } = codec.encode({ model: 'm', messages: [user] }, codecContext({ model: arn }))
  expect(path).toBe(`/model/${encodeURIComponent(arn)}/converse`)
  expect(path).not.toContain('profile/')
})

describe('messages', () => {
  test('neighbours of one role become one message, blank texts go, results stand before text', () => {
    const call = (id: string) => ({
      id,
      type: 'function' as const,
      function: { name: 'f', arguments: '' },
    })
    const body = sent({
      messages: [
        { role: 'system', content: 'Be brief.' },
        user,
        {
          role: 'user',
          content: [
            { type: 'text', text: '  ' },
            { type: 'text', text: 'there' },
          ],
        },
        { role: 'assistant', content: '', tool_calls: [call('a'), call('b')] },
        { role: 'tool', tool_call_id: 'a', content: 'one' },
        { role: 'tool', tool_call_id: 'b', content: '' },
        { role: 'developer', content: 'Be polite.' },
        { role: 'user', content: 'go on' },
      ],
      tools: [{ type: 'function', function: { name: 'f' } }],
    })
    expect(body['system']).toEqual([{ text: 'Be brief.' }, { text: 'Be polite.' }])
    expect(body['messages']).toEqual([
      { role: 'user', content: [{ text: 'hi' }, { text: 'there' }] },
      {
        role: 'assistant',
        content: [
          { toolUse: { toolUseId: 'a', name: 'f', input: {} } },
          { toolUse: { toolUseId: 'b', name: 'f', input: {} } },
        ],
      },
      {
        role: 'user',
        content: [
          { toolResult: { toolUseId: 'a', content: [{ text: 'one' }] } },
          { toolResult: { toolUseId: 'b', content: [] } },
          { text: 'go on' },
        ],
      },
    ])
  })

  test('a conversation that begins with the assistant is refused', () => {
    expect(refusal({ messages: [{ role: 'assistant', content: 'Hi.' }, user] })).toBe('messages')
  })

  test('a prefill loses its trailing white space', () => {
    const body = sent({ messages: [user, { role: 'assistant', content: 'Well, \n' }] })
    expect(body['messages']).toEqual([
      { role: 'user', content: [{ text: 'hi' }] },
      { role: 'assistant', content: [{ text: 'Well,' }] },
    ])
  })

  test('signed thinking goes back to Claude and to nobody else', () => {
    const messages: ChatRequest['messages'] = [
      user,
      {
        role: 'assistant',
        content: 'Done.',
        thinking_blocks: [
          { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
          { type: 'redacted_thinking', data: 'xyz' },
          { type: 'reasoning', id: 'rs_1', encrypted_content: 'foreign' },
        ],
      },
      user,
    ]
    const content = (model: string) =>
      (sent({ messages }, { model })['messages'] as { content: unknown[] }[])[1]!.content
    expect(content(claude)).toEqual([
      { reasoningContent: { reasoningText: { text: 'Hm.', signature: 'sig' } } },
      { reasoningContent: { redactedContent: 'xyz' } },
      { text: 'Done.' },
    ])
    expect(content('amazon.nova-pro-v1:0')).toEqual([{ text: 'Done.' }])
  })

  test('arguments keep large integers; what is no object is refused with its path', () => {
    const messages = (text: string): ChatRequest['messages'] => [
      user,
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'a', function: { name: 'f', arguments: text } }],
      },
      { role: 'tool', tool_call_id: 'a', content: 'x' },
    ]
    expect(JSON.stringify(sent({ messages: messages('{"id":12345678901234567890}') }))).toContain(
      '{"id":12345678901234567890}',
    )
    for (const text of ['{"a":', '[1]', '"x"'])
      expect(refusal({ messages: messages(text) })).toBe(
        'messages[1].tool_calls[0].function.arguments',
      )
  })

  test.each([
    [claude, 'functions.f:0', /^[a-zA-Z0-9_-]{1,64}$/],
    ['mistral.mistral-large-2407-v1:0', 'call_abcdefghijkl', /^[a-zA-Z0-9]{9}$/],
  ])('%s: a call id that does not fit is replaced on both sides', (model, id, form) => {
    const body = sent(
      {
        messages: [
          user,
          {
            role: 'assistant',
            content: null,
            tool_calls: [{ id, function: { name: 'f', arguments: '{}' } }],
          },
          { role: 'tool', tool_call_id: id, content: 'x' },
        ],
      },
      { model },
    )
    const [, assistant, result] = body['messages'] as {
      content: Record<string, { toolUseId: string }>[]
    }[]
    const used = assistant!.content[0]!['toolUse']!.toolUseId
    expect(used).toMatch(form)
    expect(result!.content[0]!['toolResult']!.toolUseId).toBe(used)
  })
})

describe('media', () => {
  const pixel = 'iVBORw0KGgo='
  test('data addresses are sent as bytes, http addresses are downloaded first, s3 addresses go as they are', () => {
    const url = 'https://example.com/cat'
    const messages: ChatRequest['messages'] = [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look.' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } },
          { type: 'image_url', image_url: { url } },
          { type: 'image_url', image_url: { url: 's3://bucket/a.jpg' } },
          {
            type: 'file',
            file: { filename: 'My  paper_1.pdf', file_data: 'data:application/pdf;base64,AAAA' },
          },
          {
            type: 'file',
            file: { filename: 'My paper_1.pdf', file_data: 'data:application/pdf;base64,BBBB' },
          },
          { type: 'input_audio', input_audio: { data: 'CCCC', format: 'wav' } },
          { type: 'video_url', video_url: { url: 'data:video/mp4;base64,DDDD' } },
        ],
      },
    ]
    expect(codec.media!({ model: 'm', messages })).toEqual([
      { url, param: 'messages[0].content[2].image_url.url' },
    ])
    const media = new Map([
      [url, { bytes: new Uint8Array([1, 2]), contentType: 'image/jpeg; q=1' }],
    ])
    const [{ content }] = sent({ messages }, { media })['messages'] as [{ content: unknown[] }]
    expect(content.slice(1)).toEqual([
      { image: { format: 'png', source: { bytes: pixel } } },
      { image: { format: 'jpeg', source: { bytes: 'AQI=' } } },
      { image: { format: 'jpeg', source: { s3Location: { uri: 's3://bucket/a.jpg' } } } },
      { document: { format: 'pdf', name: 'My paper-1', source: { bytes: 'AAAA' } } },
      { document: { format: 'pdf', name: 'My paper-1-2', source: { bytes: 'BBBB' } } },
      { audio: { format: 'wav', source: { bytes: 'CCCC' } } },
      { video: { format: 'mp4', source: { bytes: 'DDDD' } } },
    ])
  })

  test('what Bedrock does not take is refused with its path', () => {
    const one = (part: NonNullable<Exclude<ChatRequest['messages'][0]['content'], string>>[0]) =>
      refusal({ messages: [{ role: 'user', content: [part] }] })
    expect(one({ type: 'image_url', image_url: { url: 'data:image/bmp;base64,AAAA' } })).toBe(
      'messages[0].content[0].image_url.url',
    )
    expect(one({ type: 'file', file: { file_id: 'file-1' } })).toBe(
      'messages[0].content[0].file.file_id',
    )
    expect(one({ type: 'file', file: { file_data: 'data:font/woff;base64,AAAA' } })).toBe(
      'messages[0].content[0].file.file_data',
    )
  })
})

describe('fields', () => {
  const tools: ChatRequest['tools'] = [{ type: 'function', function: { name: 'f', strict: true } }]
  test.each<[string, Partial<ChatRequest>]>([
    ['presence_penalty', { presence_penalty: 0.5 }],
    ['frequency_penalty', { frequency_penalty: 0.5 }],
    ['logit_bias', { logit_bias: { '1': 2 } }],
    ['logprobs', { logprobs: true }],
    ['seed', { seed: 1 }],
    ['temperature', { temperature: 1.5 }],
    ['modalities', { modalities: ['audio'] }],
    ['tools[0]', { tools: [{ type: 'custom', custom: { name: 'f' } }] }],
    ['functions', { functions: [{ name: 'f' }] }],
  ])('%s is refused', (param, request) => {
    expect(refusal(request)).toBe(param)
    expect(dropped(request).params).toContain(param)
  })

  test('values that equal what Bedrock does anyway are not', () => {
    const body = sent({
      n: 1,
      presence_penalty: 0,
      frequency_penalty: 0,
      logprobs: false,
      logit_bias: {},
      modalities: ['text'],
      parallel_tool_calls: true,
      response_format: { type: 'text' },
      reasoning_effort: 'none',
      user: 'u',
      store: false,
      metadata: { a: 'b' },
      seed: null,
    })
    expect(body).toEqual({ messages: [{ role: 'user', content: [{ text: 'hi' }] }] })
  })

  test('top_k goes where the maker of the model looks for it', () => {
    expect(sent({ top_k: 5 })['additionalModelRequestFields']).toEqual({ top_k: 5 })
    expect(
      sent({ top_k: 5 }, { model: 'amazon.nova-lite-v1:0' })['additionalModelRequestFields'],
    ).toEqual({
      inferenceConfig: { topK: 5 },
    })
  })

  test('the matched stop sequence is asked for', () => {
    expect(sent({ stop: 'END' })).toMatchObject({
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
  ])('tool_choice %s', (_name, request, toolChoice) => {
    expect(sent({ tools, ...request })['toolConfig']).toEqual({
      tools: [
        {
          toolSpec: {
            name: 'f',
            inputSchema: { json: { type: 'object', properties: {} } },
            strict: true,
          },
        },
      ],
      toolChoice,
    })
  })

  test('tool_choice none leaves the tools out', () => {
    expect(sent({ tools, tool_choice: 'none' })).not.toHaveProperty('toolConfig')
  })

  test('calls in the history keep their tools; none and one at a time are said in Claude’s own field', () => {
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
    expect(refusal({ tools, parallel_tool_calls: false }, 'amazon.nova-pro-v1:0')).toBe(
      'parallel_tool_calls',
    )
  })

  test.each<[string, Partial<ChatRequest>, unknown]>([
    [claude, { reasoning_effort: 'low' }, { thinking: { type: 'enabled', budget_tokens: 2048 } }],
    [
      claude,
      { reasoning_effort: 'high', max_tokens: 4096 },
      { thinking: { type: 'enabled', budget_tokens: 4095 } },
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
  ])('%s thinks as %j says', (model, request, fields) => {
    expect(sent(request, { model })['additionalModelRequestFields']).toEqual(fields)
  })

  test('thinking that a model cannot do is refused', () => {
    expect(refusal({ reasoning_effort: 'high' }, 'anthropic.claude-3-5-sonnet-20241022-v2:0')).toBe(
      'reasoning_effort',
    )
    expect(refusal({ reasoning_effort: 'high' }, 'amazon.nova-pro-v1:0')).toBe('reasoning_effort')
    expect(refusal({ reasoning_effort: 'high', max_tokens: 500 })).toBe('reasoning_effort')
    expect(refusal({ thinking_budget: 2000 }, 'anthropic.claude-opus-4-7')).toBe('thinking_budget')
    expect(refusal({ reasoning_effort: 'high', temperature: 0.2 })).toBe('temperature')
    expect(refusal({ reasoning_effort: 'high', tools, tool_choice: 'required' })).toBe(
      'tool_choice',
    )
  })
})

describe('structured output', () => {
  const schema = { type: 'object', properties: { n: { type: 'integer' } } }
  const format: ChatRequest['response_format'] = {
    type: 'json_schema',
    json_schema: { name: 'x', schema },
  }

  test('is a tool the model must call, whose input is the answer', () => {
    const body = sent({ response_format: format })
    expect(body['toolConfig']).toMatchObject({
      tools: [{ toolSpec: { name: 'json_answer', inputSchema: { json: schema } } }],
      toolChoice: { tool: { name: 'json_answer' } },
    })
    const answer = {
      output: {
        message: {
          content: [{ toolUse: { toolUseId: 'x', name: 'json_answer', input: { n: 1 } } }],
        },
      },
      stopReason: 'tool_use',
    }
    const { reply } = codec.decode(received(JSON.stringify(answer)), codecContext(), {
      model: 'm',
      messages: [user],
      response_format: format,
    })
    expect(reply.choices[0]).toMatchObject({
      message: { content: '{"n":1}' },
      finish_reason: 'stop',
    })
    expect(reply.choices[0]?.message).not.toHaveProperty('tool_calls')
  })

  test('streams the input as content', () => {
    const events = [
      {
        event: 'contentBlockStart',
        data: '{"contentBlockIndex":0,"start":{"toolUse":{"toolUseId":"x","name":"json_answer"}}}',
      },
      {
        event: 'contentBlockDelta',
        data: '{"contentBlockIndex":0,"delta":{"toolUse":{"input":"{\\"n\\":"}}}',
      },
      {
        event: 'contentBlockDelta',
        data: '{"contentBlockIndex":0,"delta":{"toolUse":{"input":"1}"}}}',
      },
      { event: 'contentBlockStop', data: '{"contentBlockIndex":0}' },
      { event: 'messageStop', data: '{"stopReason":"tool_use"}' },
    ]
    const request = { model: 'm', messages: [user], response_format: format }
    const { steps } = readStream(codec.stream!, { events, context: codecContext(), request })
    const choices = steps.flatMap((step) => ('event' in step ? step.event.choices : []))
    expect(choices.map(({ delta }) => delta.content ?? '').join('')).toBe('{"n":1}')
    expect(choices.at(-1)?.finish_reason).toBe('stop')
  })

  test('beside other tools the model must call one of them', () => {
    const tools: ChatRequest['tools'] = [{ type: 'function', function: { name: 'f' } }]
    expect(sent({ response_format: format, tools })['toolConfig']).toMatchObject({
      toolChoice: { any: {} },
    })
  })

  test('a thinking Claude takes the schema itself', () => {
    const body = sent({ response_format: format, reasoning_effort: 'low' })
    expect(body).not.toHaveProperty('toolConfig')
    expect(body['additionalModelRequestFields']).toMatchObject({
      output_config: { format: { type: 'json_schema', schema } },
    })
  })
})

describe('streams', () => {
  const read = (events: { event: string; data: string }[]) =>
    readStream(codec.stream!, {
      events,
      context: codecContext(),
      request: { model: 'm', messages: [user] },
    })

  test.each([
    ['throttlingException', 'upstream_rate_limited'],
    ['validationException', 'upstream_rejected'],
    ['modelTimeoutException', 'upstream_timeout'],
    ['internalServerException', 'upstream_unavailable'],
    ['modelStreamErrorException', 'upstream_unavailable'],
  ])('%s ends as %s', (type, code) => {
    const { error } = read([{ event: 'error', data: JSON.stringify({ type, message: 'no' }) }])
    expect(error).toMatchObject({ code, message: 'no', details: { upstreamCode: type } })
  })

  test('redacted thinking arrives whole; a stream without messageStop has no finish', () => {
    const { steps, verdicts } = read([
      {
        event: 'contentBlockDelta',
        data: '{"contentBlockIndex":0,"delta":{"reasoningContent":{"redactedContent":"abc"}}}',
      },
      { event: 'contentBlockStop', data: '{"contentBlockIndex":0}' },
      { event: 'contentBlockDelta', data: '{"contentBlockIndex":1,"delta":{"text":"Hel"}}' },
      { event: '', data: 'a frame with a wrong checksum' },
    ])
    expect(verdicts).toEqual(['other', 'other', 'content', 'garbage'])
    const choices = steps.flatMap((step) => ('event' in step ? step.event.choices : []))
    expect(choices[1]?.delta.thinking_blocks).toEqual([{ type: 'redacted_thinking', data: 'abc' }])
    expect(choices.every(({ finish_reason: reason }) => reason === null)).toBe(true)
  })
})

test.each([
  [
    { headers: { 'x-amzn-errortype': 'ValidationException:http://x' } },
    '{"message":"bad"}',
    { message: 'bad', code: 'ValidationException' },
  ],
  [
    {},
    '{"__type":"com.amazon#ThrottlingException","Message":"slow"}',
    { message: 'slow', code: 'ThrottlingException' },
  ],
  [{ status: 503 }, '<html>', { message: 'Bedrock answered with status 503' }],
])('failure reads %j %s', (given, body, expected) => {
  expect(bedrock.failure(received(body, given))).toEqual(expected)
})
