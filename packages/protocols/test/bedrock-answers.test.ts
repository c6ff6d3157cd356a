import { describe, expect, test } from 'vitest'
import { codecContext, received } from '../../../test/support/codec-context.ts'
import { encodedChat, userMessage } from '../../../test/support/formats/encoded-chat.ts'
import { readStream } from '../../../test/support/formats/read-stream.ts'
import type { ChatRequest } from '../../contract/src/operations/chat-request.ts'
import { bedrock } from '../src/bedrock/index.ts'

const codec = bedrock.codecs.chat!
const claude = 'anthropic.claude-sonnet-4-5-20250929-v1:0'
const user = userMessage
const { sent } = encodedChat(bedrock.codecs.chat!, claude)

describe('structured output', () => {
  const schema = { type: 'object', properties: { n: { type: 'integer' } } }
  const format: ChatRequest['response_format'] = {
    type: 'json_schema',
    json_schema: { name: 'x', schema },
  }

  test('is a forced tool whose input is the answer', () => {
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

  test('streams the tool input as content', () => {
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

  test('with other tools forces one of them', () => {
    const tools: ChatRequest['tools'] = [{ type: 'function', function: { name: 'f' } }]
    expect(sent({ response_format: format, tools })['toolConfig']).toMatchObject({
      toolChoice: { any: {} },
    })
  })

  test('sends the schema itself to a thinking Claude', () => {
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
  ])('maps the exception %s to %s', (type, code) => {
    const { error } = read([{ event: 'error', data: JSON.stringify({ type, message: 'no' }) }])
    expect(error).toMatchObject({ code, message: 'no', details: { upstreamCode: type } })
  })

  test('deliver redacted thinking whole, and have no finish without messageStop', () => {
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
])('parses the error %j %s', (given, body, expected) => {
  expect(bedrock.failure(received(body, given))).toEqual(expected)
})

describe('citations', () => {
  const citation = {
    title: 'Report',
    sourceContent: [{ text: 'four' }],
    location: { documentPage: { documentIndex: 0, start: 2, end: 3 } },
  }
  const annotations = [
    {
      type: 'file_citation',
      file_citation: {
        start_index: 5,
        end_index: 10,
        title: 'Report',
        quote: 'four',
        document_index: 0,
        start_page_number: 2,
        end_page_number: 3,
      },
    },
  ]

  test('keep their position in a whole answer', () => {
    const content = [
      { text: 'Says ' },
      { citationsContent: { content: [{ text: 'four.' }], citations: [citation] } },
    ]
    const answer = { output: { message: { content } }, stopReason: 'end_turn' }
    const request = { model: 'm', messages: [user] }
    const { reply } = codec.decode(received(JSON.stringify(answer)), codecContext(), request)
    expect(reply.choices[0]?.message).toMatchObject({ content: 'Says four.', annotations })
  })

  test('keep their position in a stream', () => {
    const delta = (index: number, value: object) => ({
      event: 'contentBlockDelta',
      data: JSON.stringify({ contentBlockIndex: index, delta: value }),
    })
    const reader = codec.stream!.reader(codecContext(), { model: 'm', messages: [user] })
    const steps = [
      delta(0, { text: 'Says ' }),
      { event: 'contentBlockStop', data: '{"contentBlockIndex":0}' },
      delta(1, { citation }),
      delta(1, { text: 'four.' }),
      { event: 'contentBlockStop', data: '{"contentBlockIndex":1}' },
      { event: 'messageStop', data: '{"stopReason":"end_turn"}' },
    ].flatMap((event) => reader.read(event))
    const told = steps.flatMap((step) =>
      'event' in step ? (step.event.choices[0]?.delta.annotations ?? []) : [],
    )
    expect(told).toEqual(annotations)
  })
})

test('keeps text after a tool call in place', () => {
  const content = [
    { text: 'First.' },
    { toolUse: { toolUseId: 'x', name: 'now', input: {} } },
    { text: 'Last.' },
  ]
  const answer = { output: { message: { content } }, stopReason: 'tool_use' }
  const { reply } = codec.decode(received(JSON.stringify(answer)), codecContext(), {
    model: 'm',
    messages: [user],
  })
  expect(reply.choices[0]?.message).toMatchObject({
    content: 'First.Last.',
    text_places: [{ start: 6, calls: 1 }],
  })
})
