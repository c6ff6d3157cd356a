import { describe, expect, test } from 'vitest'
import { codecContext, formatContext, received } from '../../../test/support/codec-context.ts'
import { readStream } from '../../../test/support/formats/read-stream.ts'
import { anthropic } from '../src/anthropic/index.ts'
import { bedrock } from '../src/bedrock/index.ts'
import { cohere } from '../src/cohere/index.ts'
import { gemini } from '../src/gemini/index.ts'
import { ownFormats } from '../src/openai/client/formats.ts'
import { openai } from '../src/openai/index.ts'
import type { Protocol } from '../src/protocol.ts'

const { chat } = ownFormats

/** As the caller writes it. */
const request = {
  model: 'm',
  messages: [
    { role: 'user', content: 'Weather?' },
    { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{"a":1}' } },
    { role: 'function', name: 'f', content: '21' },
  ],
  functions: [{ name: 'f', parameters: { type: 'object', properties: {} } }],
  function_call: 'auto',
}

const canonical = chat.toCanonical(request, formatContext()) as never

function bodyOf({ codecs }: Protocol) {
  const { body } = codecs.chat!.encode(canonical, codecContext())
  return body?.kind === 'json' ? (body.value as Record<string, unknown>) : {}
}

/** The first choice of an upstream's answer, as the caller reads it. */
function answered({ codecs }: Protocol, body: object): unknown {
  const answer = received(JSON.stringify(body))
  const { reply } = codecs.chat!.decode(answer, codecContext(), canonical)
  const told = chat.fromCanonical(reply, request, formatContext())
  return (told as { choices: unknown[] }).choices[0]
}

interface Chunk {
  readonly choices: readonly {
    readonly delta: { readonly function_call?: { name?: string; arguments?: string } }
    readonly finish_reason: string | null
  }[]
}

/** The choices of a stream, as the caller reads them. */
function streamed({ codecs }: Protocol, events: readonly { event: string; data: string }[]) {
  const context = codecContext()
  const { steps } = readStream(codecs.chat!.stream!, { events, context, request: canonical })
  const writer = chat.writer!(request, formatContext(), '')
  const text = steps.map((step) => writer.write(step)).join('')
  return [...text.matchAll(/^data: (.*)$/gm)].flatMap(
    ([, line = '']) => (JSON.parse(line) as Chunk).choices,
  )
}

describe('OpenAI’s deprecated functions', () => {
  test('are sent to Cohere as tools', () => {
    const { messages, tools } = bodyOf(cohere)
    expect(messages).toEqual([
      { role: 'user', content: 'Weather?' },
      {
        role: 'assistant',
        tool_calls: [
          {
            id: 'function_call_1',
            type: 'function',
            function: { name: 'f', arguments: '{"a":1}' },
          },
        ],
      },
      { role: 'tool', tool_call_id: 'function_call_1', content: '21' },
    ])
    expect(tools).toHaveLength(1)
  })

  test('are sent to Bedrock as tools, also without parallel_tool_calls', () => {
    const { toolConfig, messages } = bodyOf(bedrock)
    expect(toolConfig).toMatchObject({
      tools: [{ toolSpec: { name: 'f' } }],
      toolChoice: { auto: {} },
    })
    expect((messages as unknown[])[2]).toEqual({
      role: 'user',
      content: [{ toolResult: { toolUseId: 'function_call_1', content: [{ text: '21' }] } }],
    })
  })

  const call = (name: string) => ({
    id: name,
    type: 'function',
    function: { name, arguments: '{}' },
  })
  const said = (message: object) => ({ choices: [{ message, finish_reason: 'stop' }] })
  test.each<[string, Protocol, object]>([
    [
      'Cohere',
      cohere,
      { message: { tool_calls: [call('f'), call('g')] }, finish_reason: 'TOOL_CALL' },
    ],
    [
      'Anthropic',
      anthropic,
      { content: ['f', 'g'].map((name) => ({ type: 'tool_use', id: name, name, input: {} })) },
    ],
    [
      'Gemini',
      gemini,
      {
        candidates: [
          { content: { parts: ['f', 'g'].map((name) => ({ functionCall: { name, args: {} } })) } },
        ],
      },
    ],
    ['OpenAI', openai, said({ tool_calls: [call('f'), call('g')] })],
    ['OpenAI in the old way', openai, said({ function_call: { name: 'f', arguments: '{}' } })],
  ])('are answered with the first call of %s', (_name, protocol, body) => {
    const choice = answered(protocol, body) as { readonly message: object }
    expect(choice).toMatchObject({
      message: { content: null, function_call: { name: 'f', arguments: '{}' } },
      finish_reason: 'function_call',
    })
    expect(choice.message).not.toHaveProperty('tool_calls')
  })

  test('are answered in a stream of Bedrock', () => {
    const start = (index: number, name: string) => ({
      event: 'contentBlockStart',
      data: JSON.stringify({
        contentBlockIndex: index,
        start: { toolUse: { toolUseId: name, name } },
      }),
    })
    const piece = (index: number, input: string) => ({
      event: 'contentBlockDelta',
      data: JSON.stringify({ contentBlockIndex: index, delta: { toolUse: { input } } }),
    })
    const stop = (index: number) => ({
      event: 'contentBlockStop',
      data: JSON.stringify({ contentBlockIndex: index }),
    })
    const choices = streamed(bedrock, [
      start(0, 'f'),
      piece(0, '{"a":'),
      piece(0, '2}'),
      stop(0),
      start(1, 'g'),
      piece(1, '{}'),
      stop(1),
      { event: 'messageStop', data: '{"stopReason":"tool_use"}' },
    ])
    const pieces = choices.flatMap(({ delta }) => delta.function_call ?? [])
    expect(pieces[0]?.name).toBe('f')
    expect(pieces.map((part) => part.arguments ?? '').join('')).toBe('{"a":2}')
    expect(choices.at(-1)?.finish_reason).toBe('function_call')
  })

  test('are answered in a stream of Anthropic', () => {
    const events = [
      { type: 'message_start', message: { id: 'msg_1', content: [] } },
      {
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'tool_use', id: 't', name: 'find', input: {} },
      },
      {
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'input_json_delta', partial_json: '{"q":1}' },
      },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
    ]
    const choices = streamed(
      anthropic,
      events.map((event) => ({ event: event.type, data: JSON.stringify(event) })),
    )
    expect(choices.map(({ delta }) => delta.function_call).filter(Boolean)).toEqual([
      { name: 'find', arguments: '' },
      { arguments: '{"q":1}' },
    ])
    expect(choices.at(-1)?.finish_reason).toBe('function_call')
  })
})
