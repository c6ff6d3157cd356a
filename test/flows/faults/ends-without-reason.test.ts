import { expect, test } from 'vitest'
import { ask, chatOnly, faces, failureIn, told } from '../../support/clients/client-formats.ts'
import { sse } from '../../support/fakes/fake-upstream.ts'
import { chunk, done } from '../../support/fakes/openai-wire.ts'
import { inFrontOf } from '../../support/gateways/scripted-gateway.ts'

const named = (event: { readonly type: string; readonly [field: string]: unknown }) =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
const start = (message: object) =>
  named({
    type: 'message_start',
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      content: [],
      usage: { input_tokens: 5, output_tokens: 1 },
      ...message,
    },
  })
const block = (fields: object) => named({ type: 'content_block_start', index: 0, ...fields })
const stops = [named({ type: 'content_block_stop', index: 0 })]
const messageStop = named({ type: 'message_stop' })

const silent: readonly {
  readonly type: 'openai' | 'anthropic' | 'cohere'
  readonly events: readonly (string | object)[]
}[] = [
  {
    type: 'openai',
    events: [chunk({ role: 'assistant', content: 'Hel' }), chunk({ content: 'lo' }), done],
  },
  {
    type: 'anthropic',
    events: [
      start({ stop_reason: null }),
      block({ content_block: { type: 'text', text: 'Hello' } }),
      ...stops,
      messageStop,
    ],
  },
  {
    type: 'cohere',
    events: [
      { type: 'content-delta', index: 0, delta: { message: { content: { text: 'Hello' } } } },
      { type: 'message-end', delta: {} },
    ],
  },
]

// An upstream that speaks the caller's own format is held to the same.
for (const { type, events } of silent)
  test.each(faces)(
    `a stream of ${type} without a finish reason ends with an error in %s`,
    async (face) => {
      await using pair = await inFrontOf(
        type,
        chatOnly((_, response) => sse(response, events)),
      )
      const { status, wire } = await ask(pair, face, {
        stream: true,
        further: {},
      })
      expect(status).toBe(200)
      expect(wire).toMatch(failureIn[face])
      expect(wire).not.toMatch(/\[DONE\]|message_stop|response\.completed|"finishReason"/)
    },
  )

test.each(faces)(
  'reads the stop reason in the message_start of a complete message for %s',
  async (face) => {
    await using pair = await inFrontOf('anthropic', (_, response) =>
      sse(response, [
        start({
          stop_reason: 'tool_use',
          content: [{ type: 'tool_use', id: 'toolu_1', name: 'now', input: { zone: 'UTC' } }],
        }),
        messageStop,
      ]),
    )
    // Messages pass as they came.
    if (face === 'messages') {
      expect((await ask(pair, face, { stream: true })).wire).toContain('message_stop')
      return
    }
    const { wire } = await ask(pair, face, { stream: true })
    const { calls, finish } = told(face, wire, true)
    expect(calls).toMatchObject([{ name: 'now', input: '{"zone":"UTC"}' }])
    expect(finish).toBe(
      { chat: 'tool_calls', responses: 'completed', generateContent: 'STOP' }[face],
    )
  },
)
