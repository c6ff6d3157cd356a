import { describe, expect, test } from 'vitest'
import { codecContext, received } from '../../../test/support/codec-context.ts'
import { readStream } from '../../../test/support/read-stream.ts'
import type { ChatRequest } from '../../contract/src/operations/chat-request.ts'
import { bedrock } from '../src/bedrock/index.ts'
import { cohere } from '../src/cohere/index.ts'

const request: ChatRequest = {
  model: 'm',
  messages: [
    { role: 'user', content: 'Weather?' },
    { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{"a":1}' } },
    { role: 'function', name: 'f', content: '21' },
  ],
  functions: [{ name: 'f', parameters: { type: 'object', properties: {} } }],
  function_call: 'auto',
}

const bodyOf = (codec: (typeof cohere)['codecs']['chat']) => {
  const { body } = codec!.encode(request, codecContext())
  return body?.kind === 'json' ? (body.value as Record<string, unknown>) : {}
}

describe('OpenAI’s deprecated functions', () => {
  test('are tools at Cohere', () => {
    const { messages, tools } = bodyOf(cohere.codecs.chat)
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

  test('are tools at Bedrock, for models too that cannot say one at a time', () => {
    const { toolConfig, messages } = bodyOf(bedrock.codecs.chat)
    expect(toolConfig).toMatchObject({
      tools: [{ toolSpec: { name: 'f' } }],
      toolChoice: { auto: {} },
    })
    expect((messages as unknown[])[2]).toEqual({
      role: 'user',
      content: [{ toolResult: { toolUseId: 'function_call_1', content: [{ text: '21' }] } }],
    })
  })

  test('are answered by the first call', () => {
    const call = (name: string) => ({
      id: name,
      type: 'function',
      function: { name, arguments: '{}' },
    })
    const body = { message: { tool_calls: [call('f'), call('g')] }, finish_reason: 'TOOL_CALL' }
    const { reply } = cohere.codecs.chat!.decode(
      received(JSON.stringify(body)),
      codecContext(),
      request,
    )
    expect(reply.choices[0]).toMatchObject({
      message: { content: null, function_call: { name: 'f', arguments: '{}' } },
      finish_reason: 'function_call',
    })
    expect(reply.choices[0]?.message).not.toHaveProperty('tool_calls')
  })

  test('are answered so in a stream', () => {
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
    const { steps } = readStream(bedrock.codecs.chat!.stream!, {
      events: [
        start(0, 'f'),
        piece(0, '{"a":'),
        piece(0, '2}'),
        start(1, 'g'),
        piece(1, '{}'),
        { event: 'messageStop', data: '{"stopReason":"tool_use"}' },
      ],
      context: codecContext(),
      request,
    })
    const choices = steps.flatMap((step) => ('event' in step ? step.event.choices : []))
    const pieces = choices.flatMap(({ delta }) => delta.function_call ?? [])
    expect(pieces[0]?.name).toBe('f')
    expect(pieces.map((part) => part.arguments ?? '').join('')).toBe('{"a":2}')
    expect(choices.at(-1)?.finish_reason).toBe('function_call')
  })
})
