import fc from 'fast-check'
import { expect, it } from 'vitest'
import { codecContext, eventsInPieces } from '../../../../test/support/codec-context.ts'
import { answerOf } from '../../../../test/support/formats/chat-answer.ts'
import { readStream } from '../../../../test/support/formats/read-stream.ts'
import {
  conversation,
  type StreamedAnswer,
  streamedAnswer,
} from '../../../../test/support/generated/arbitrary-chat.ts'
import type { ChatChunk, ToolCallDelta } from '../../../contract/src/operations/chat.ts'
import type { ChatRequest } from '../../../contract/src/operations/chat-request.ts'
import { operations } from '../../../contract/src/operations/index.ts'
import { validate } from '../../../contract/src/operations/validate.ts'
import { openaiChat } from '../../src/openai/upstream/chat.ts'
import '../../../../test/support/property-limits.ts'

const asked: ChatRequest = { model: 'm', messages: [{ role: 'user', content: 'x' }] }

it('property: a chat request to an upstream that knows every field is unchanged', () => {
  const knowing = openaiChat({
    knows: ['reasoning_content', 'thinking_blocks', 'extra_content', 'cache_control', 'video_url'],
  })
  fc.assert(
    fc.property(conversation, (messages) => {
      const { body } = knowing.encode(
        { model: 'm', messages },
        codecContext({ model: 'm', isGateway: true }),
      )
      if (body?.kind !== 'json') throw new Error('No JSON')
      const back = validate(operations.chat.request, JSON.parse(JSON.stringify(body.value)))
      expect(back).toEqual({ model: 'm', messages })
    }),
    { numRuns: 200 },
  )
})

/** How a compatible upstream's stream may differ from OpenAI's. */
interface Dialect {
  readonly reasoning: 'reasoning_content' | 'reasoning' | 'thinking parts'
  readonly calls: 'as OpenAI' | 'id and name in every piece' | 'indexes from 1' | 'whole, no index'
  readonly usage: 'own chunk' | 'finish chunk' | 'every chunk' | 'x_groq'
  readonly finish: 'right' | 'always stop'
  readonly lineEnd: '\n' | '\r\n' | '\r'
  readonly done: boolean
}

const dialect: fc.Arbitrary<Dialect> = fc.record({
  reasoning: fc.constantFrom('reasoning_content', 'reasoning', 'thinking parts'),
  calls: fc.constantFrom(
    'as OpenAI',
    'id and name in every piece',
    'indexes from 1',
    'whole, no index',
  ),
  usage: fc.constantFrom('own chunk', 'finish chunk', 'every chunk', 'x_groq'),
  finish: fc.constantFrom('right', 'always stop'),
  lineEnd: fc.constantFrom('\n', '\r\n', '\r'),
  done: fc.boolean(),
})

it('property: a stream in any dialect, split anywhere, reads as the same answer', async () => {
  await fc.assert(
    fc.asyncProperty(
      streamedAnswer,
      dialect,
      fc.integer({ min: 1, max: 4096 }),
      async (answer, spoken, size) => {
        const codec = openaiChat()
        const events = eventsInPieces(told(answer, spoken), size)
        const read = readStream(codec.stream!, { events, context: codecContext(), request: asked })
        expect(answerOf(read.steps)).toMatchObject({
          text: answer.text,
          reasoning: answer.reasoning,
          calls: answer.calls,
          finish: answer.finish,
        })
        expect(read.usage).toEqual({ inputTokens: 10, outputTokens: 5 })
        expect(read.verdicts).toContain('finish')
        expect(read.verdicts).not.toContain('garbage')
      },
    ),
    { numRuns: 300 },
  )
})

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }

function told(answer: StreamedAnswer, spoken: Dialect): string {
  const chunks = answer.steps.flatMap((step) =>
    'event' in step ? [wireChunk(step.event, answer, spoken)] : [],
  )
  const lines = withUsage(chunks, spoken).map((chunk) => JSON.stringify(chunk))
  const end = spoken.lineEnd
  return [...lines, ...(spoken.done ? ['[DONE]'] : [])]
    .map((line) => `data: ${line}${end}${end}`)
    .join('')
}

function withUsage(chunks: readonly object[], spoken: Dialect): readonly object[] {
  const last = chunks.length - 1
  switch (spoken.usage) {
    case 'own chunk':
      return [...chunks, { choices: [], usage }]
    case 'every chunk':
      return chunks.map((chunk, index) => ({
        ...chunk,
        usage: index === last ? usage : { ...usage, completion_tokens: 1, total_tokens: 11 },
      }))
    case 'finish chunk':
      return chunks.map((chunk, index) => (index === last ? { ...chunk, usage } : chunk))
    case 'x_groq':
      return chunks.map((chunk, index) =>
        index === last ? { ...chunk, x_groq: { usage } } : chunk,
      )
  }
}

function wireChunk(chunk: ChatChunk, answer: StreamedAnswer, spoken: Dialect): object {
  const [choice] = chunk.choices
  const {
    reasoning_content: thought,
    thinking_blocks: _,
    tool_calls: calls,
    ...rest
  } = choice!.delta
  const finish = choice!.finish_reason
  const said = finish === 'tool_calls' && spoken.finish === 'always stop' ? 'stop' : finish
  const delta = {
    ...rest,
    ...(thought == null ? {} : spokenReasoning(thought, spoken)),
    ...(calls === undefined
      ? {}
      : { tool_calls: calls.flatMap((call) => spokenCall(call, answer, spoken)) }),
  }
  return { ...chunk, choices: [{ index: 0, delta, finish_reason: said }] }
}

function spokenReasoning(text: string, { reasoning }: Dialect): object {
  if (reasoning !== 'thinking parts') return { [reasoning]: text }
  return { content: [{ type: 'thinking', thinking: [{ type: 'text', text }] }] }
}

function spokenCall(
  call: ToolCallDelta,
  answer: StreamedAnswer,
  spoken: Dialect,
): readonly object[] {
  const { id, name, input } = answer.calls[call.index]!
  const text = call.function?.arguments ?? ''
  switch (spoken.calls) {
    case 'as OpenAI':
      return [call]
    case 'indexes from 1':
      return [{ ...call, index: call.index + 1 }]
    case 'id and name in every piece':
      return [{ index: call.index, id, type: 'function', function: { name, arguments: text } }]
    case 'whole, no index':
      return call.id === undefined ? [] : [{ id, function: { name, arguments: input } }]
  }
}
