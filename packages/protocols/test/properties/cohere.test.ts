import fc from 'fast-check'
import { expect, it } from 'vitest'
import { codecContext, eventsInPieces, received } from '../../../../test/support/codec-context.ts'
import { answerOf } from '../../../../test/support/formats/chat-answer.ts'
import { readStream } from '../../../../test/support/formats/read-stream.ts'
import {
  conversation,
  pieces,
  streamedAnswer,
} from '../../../../test/support/generated/arbitrary-chat.ts'
import type { Message } from '../../../contract/src/operations/chat-message.ts'
import type { ChatRequest } from '../../../contract/src/operations/chat-request.ts'
import { cohere } from '../../src/cohere/index.ts'
import '../../../../test/support/property-limits.ts'

const chat = cohere.codecs.chat!
const asked: ChatRequest = { model: 'm', messages: [{ role: 'user', content: 'x' }] }

/** What Cohere can say: functions and pictures, but no files and no free-form calls. */
const sayable = (messages: readonly Message[]) =>
  messages.every(
    ({ content, tool_calls: calls }) =>
      (calls ?? []).every((call) => call.custom === undefined) &&
      (typeof content === 'string' || (content ?? []).every(({ type }) => type !== 'file')),
  )

it('property: a conversation is sent unchanged except developer messages and reasoning', () => {
  fc.assert(
    fc.property(conversation.filter(sayable), (messages) => {
      const { body } = chat.encode({ model: 'm', messages }, codecContext())
      if (body?.kind !== 'json') throw new Error('No JSON')
      const { messages: sent } = body.value as { messages: (Message & { tool_plan?: string })[] }
      expect(sent).toEqual(
        messages.map(
          ({ role, content, tool_calls: calls, tool_call_id: id, reasoning_content: thought }) => ({
            role: role === 'developer' ? 'system' : role,
            ...(content == null ? {} : { content }),
            ...(id == null ? {} : { tool_call_id: id }),
            ...(calls && thought ? { tool_plan: thought } : {}),
            ...(calls
              ? {
                  tool_calls: calls.map(({ id: call, function: named }) => ({
                    id: call,
                    type: 'function',
                    function: named,
                  })),
                }
              : {}),
          }),
        ),
      )
    }),
  )
})

it('property: an answer reads the same whole and streamed', async () => {
  const withPieces = streamedAnswer.chain((answer) =>
    fc
      .tuple(
        pieces(answer.text),
        fc.tuple(...answer.calls.map(({ input }) => pieces(input))),
        fc.integer({ min: 1, max: 40 }),
      )
      .map(([texts, inputs, size]) => ({ answer, texts, inputs, size })),
  )
  await fc.assert(
    fc.asyncProperty(withPieces, async ({ answer, texts, inputs, size }) => {
      const reason = answer.finish === 'length' ? 'MAX_TOKENS' : 'COMPLETE'
      const usage = { tokens: { input_tokens: 1, output_tokens: 2 } }
      const event = (type: string, rest: object) =>
        `event: ${type}\r\ndata: ${JSON.stringify({ type, ...rest })}\r\n\r\n`
      const piece = (type: string, index: number, message: object) =>
        event(type, { index, delta: { message } })
      const text = [
        event('message-start', { delta: { message: { role: 'assistant' } } }),
        piece('content-start', 0, { content: { type: 'text', text: '' } }),
        ...texts.map((part) => piece('content-delta', 0, { content: { text: part } })),
        ...answer.calls.flatMap(({ id, name }, index) => [
          piece('tool-call-start', index, {
            tool_calls: { id, function: { name, arguments: '' } },
          }),
          ...inputs[index]!.map((part) =>
            piece('tool-call-delta', index, { tool_calls: { function: { arguments: part } } }),
          ),
          event('tool-call-end', { index }),
        ]),
        event('message-end', { delta: { finish_reason: reason, usage } }),
      ].join('')
      const events = eventsInPieces(text, size)
      const read = readStream(chat.stream!, { events, context: codecContext(), request: asked })
      const expected = { text: answer.text, calls: answer.calls, finish: answer.finish }
      expect(answerOf(read.steps)).toMatchObject(expected)
      expect(read.usage).toEqual({ inputTokens: 1, outputTokens: 2 })

      const message = {
        content: [{ type: 'text', text: answer.text }],
        tool_calls: answer.calls.map(({ id, name, input }) => ({
          id,
          function: { name, arguments: input },
        })),
      }
      const whole = chat.decode(
        received(JSON.stringify({ message, finish_reason: reason, usage })),
        codecContext(),
        asked,
      )
      const { message: said, finish_reason: finish } = whole.reply.choices[0]!
      expect({
        text: said.content ?? '',
        calls: (said.tool_calls ?? []).map((call) => ({
          id: call.id,
          name: call.function!.name,
          input: call.function!.arguments,
        })),
        finish,
      }).toEqual(expected)
    }),
  )
})
