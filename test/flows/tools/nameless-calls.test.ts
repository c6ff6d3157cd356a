import { expect, test } from 'vitest'
import { ask, chatOnly, told } from '../../support/clients/client-formats.ts'
import {
  blockStop,
  messageDelta,
  messageStart,
  messageStop,
  namedEvents,
} from '../../support/fakes/anthropic-events.ts'
import { json, sse } from '../../support/fakes/fake-upstream.ts'
import { chatReply, chunk, done } from '../../support/fakes/openai-wire.ts'
import { inFrontOf } from '../../support/gateways/scripted-gateway.ts'

const nameless: readonly {
  readonly type: 'openai' | 'anthropic' | 'gemini' | 'cohere'
  readonly whole: object
  readonly events: readonly (string | object)[]
}[] = [
  {
    type: 'openai',
    whole: chatReply('', {
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: 'Hi',
            tool_calls: [{ id: 'c', type: 'function', function: { name: '', arguments: '{}' } }],
          },
          finish_reason: 'stop',
        },
      ],
    }),
    events: [
      chunk({ role: 'assistant', content: 'Hi' }),
      chunk({ tool_calls: [{ index: 0, id: 'c', function: { name: '', arguments: '{}' } }] }),
      chunk({}, 'stop'),
      done,
    ],
  },
  {
    type: 'gemini',
    whole: {
      candidates: [
        { content: { parts: [{ text: 'Hi' }, { functionCall: {} }] }, finishReason: 'STOP' },
      ],
    },
    events: [
      {
        candidates: [
          { content: { parts: [{ text: 'Hi' }, { functionCall: {} }] }, finishReason: 'STOP' },
        ],
      },
    ],
  },
  {
    type: 'cohere',
    whole: {
      message: {
        role: 'assistant',
        content: [{ type: 'text', text: 'Hi' }],
        tool_calls: [{ id: 'c', type: 'function', function: { arguments: '{}' } }],
      },
      finish_reason: 'COMPLETE',
      usage: {},
    },
    events: [
      { type: 'content-delta', index: 0, delta: { message: { content: { text: 'Hi' } } } },
      { type: 'tool-call-start', index: 0, delta: { message: { tool_calls: { id: 'c' } } } },
      { type: 'tool-call-end', index: 0 },
      { type: 'message-end', delta: { finish_reason: 'COMPLETE', usage: {} } },
    ],
  },
  {
    type: 'anthropic',
    whole: {
      ...messageStart('msg_1').message,
      content: [
        { type: 'text', text: 'Hi' },
        { type: 'tool_use', id: 'c', input: {} },
      ],
      stop_reason: 'end_turn',
    },
    events: namedEvents(
      messageStart('msg_1'),
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Hi' } },
      blockStop(0),
      { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: 'c' } },
      blockStop(1),
      { ...messageDelta, delta: { stop_reason: 'end_turn' } },
      messageStop,
    ),
  },
]

test.each(nameless)('drops a tool call without a name ($type)', async ({ type, whole, events }) => {
  await using pair = await inFrontOf(
    type,
    chatOnly(({ body, path }, response) =>
      body['stream'] === true || path.includes('stream')
        ? sse(response, events)
        : json(response, whole),
    ),
  )
  for (const stream of [false, true]) {
    const { wire } = await ask(pair, 'responses', { stream })
    const { calls, text, finish } = told('responses', wire, stream)
    expect({ calls, text, finish }).toEqual({ calls: [], text: 'Hi', finish: 'completed' })
  }
})
