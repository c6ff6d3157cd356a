import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  codecContext,
  eventsInPieces,
  formatContext,
  received,
} from '../../../../test/support/codec-context.ts'
import { answerOf } from '../../../../test/support/formats/chat-answer.ts'
import { readStream } from '../../../../test/support/formats/read-stream.ts'
import { conversation, streamedAnswer } from '../../../../test/support/generated/arbitrary-chat.ts'
import type { ChatReply } from '../../../contract/src/operations/chat.ts'
import type { ContentPart, Message } from '../../../contract/src/operations/chat-message.ts'
import type { ChatRequest } from '../../../contract/src/operations/chat-request.ts'
import { operations } from '../../../contract/src/operations/index.ts'
import { chatUsage } from '../../../contract/src/operations/usage-shape.ts'
import { validate } from '../../../contract/src/operations/validate.ts'
import { restore } from '../../src/carried-reasoning.ts'
import { responses } from '../../src/openai-responses/client/formats.ts'
import { inputItems, withHistory } from '../../src/openai-responses/client/history.ts'
import { ResponseObject, type ResponsesRequest } from '../../src/openai-responses/client/schema.ts'
import { responsesChat } from '../../src/openai-responses/upstream/chat.ts'
import '../../../../test/support/property-limits.ts'

const codec = responsesChat()
const include = ['reasoning.encrypted_content']
const asked: ChatRequest = { model: 'm', messages: [{ role: 'user', content: 'x' }] }

/** The canonical request as this API's JSON, and back as a client of this API would be read. */
function roundTrip(request: ChatRequest): ChatRequest {
  const sent = codec.encode(request, codecContext({ model: 'm' }))
  if (sent.body?.kind !== 'json') throw new Error('No JSON')
  const wire: unknown = JSON.parse(JSON.stringify(sent.body.value))
  const checked = validate(responses.request, wire)
  const canonical = responses.toCanonical(checked, formatContext())
  operations.chat.check?.(validate(operations.chat.request, canonical))
  return canonical
}

/** A single text part and a string say the same. */
function plain({ content, ...rest }: Message): object {
  const parts: readonly ContentPart[] =
    typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? [])
  return { ...rest, content: parts }
}

/** Only this API's own reasoning goes to it, and Gemini's signatures do not. */
function forThisApi(message: Message): Message {
  const { thinking_blocks: blocks, reasoning_content: _, tool_calls: calls, ...rest } = message
  const own = (blocks ?? []).filter(({ type }) => type === 'reasoning')
  const shown = own.flatMap(({ summary }) => summary ?? []).join('\n\n')
  return {
    ...rest,
    ...(shown === '' ? {} : { reasoning_content: shown }),
    ...(own.length === 0 ? {} : { thinking_blocks: own }),
    ...(calls === undefined || calls === null
      ? {}
      : { tool_calls: calls.map(({ extra_content: __, ...call }) => call) }),
  }
}

it('property: a conversation round-trips through Responses', () => {
  fc.assert(
    fc.property(conversation, (messages) => {
      const back = roundTrip({ model: 'm', messages })
      expect(back.messages.map(plain)).toEqual(messages.map(forThisApi).map(plain))
    }),
    { numRuns: 300 },
  )
})

const settings = fc.record(
  {
    temperature: fc.integer({ min: 0, max: 20 }).map((tenths) => tenths / 10),
    top_p: fc.integer({ min: 0, max: 10 }).map((tenths) => tenths / 10),
    max_completion_tokens: fc.integer({ min: 16, max: 9999 }),
    reasoning_effort: fc.constantFrom('low' as const, 'high' as const, 'none' as const),
    verbosity: fc.constantFrom('low' as const, 'high' as const),
    stream: fc.constant(true),
    user: fc.string({ minLength: 1 }),
    safety_identifier: fc.string({ minLength: 1 }),
    prompt_cache_key: fc.string({ minLength: 1 }),
    service_tier: fc.constant('flex'),
    metadata: fc.dictionary(fc.string(), fc.string(), { maxKeys: 2, noNullPrototype: true }),
    response_format: fc.constantFrom(
      { type: 'json_object' as const },
      {
        type: 'json_schema' as const,
        json_schema: { name: 'n', schema: { type: 'object' }, strict: true },
      },
    ),
    tool_choice: fc.constantFrom(
      'auto' as const,
      'none' as const,
      'required' as const,
      { type: 'function' as const, function: { name: 'f' } },
      { type: 'custom' as const, custom: { name: 'c' } },
    ),
    parallel_tool_calls: fc.boolean(),
    logprobs: fc.constant(true),
  },
  { requiredKeys: [] },
)

const tools: ChatRequest['tools'] = [
  { type: 'function', function: { name: 'f', parameters: { type: 'object' }, strict: false } },
  {
    type: 'custom',
    custom: {
      name: 'c',
      format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'x' } },
    },
  },
]

it('property: settings round-trip through Responses', () => {
  fc.assert(
    fc.property(settings, (set) => {
      const request: ChatRequest = { ...asked, tools, ...set }
      expect(roundTrip(request)).toEqual(request)
    }),
    { numRuns: 300 },
  )
})

it('property: a streamed answer round-trips through Responses events', async () => {
  await fc.assert(
    fc.asyncProperty(streamedAnswer, fc.integer({ min: 1, max: 4096 }), async (answer, size) => {
      const writer = responses.writer!({ model: 'm', input: 'x', include }, formatContext(), '')
      const text = answer.steps.map((step) => writer.write(step)).join('') + writer.end()
      const events = eventsInPieces(text, size)
      const read = readStream(codec.stream!, { events, context: codecContext(), request: asked })
      const told = answerOf(read.steps)
      expect({ ...told, reasoning: told.reasoning.replaceAll('\n\n', '') }).toMatchObject({
        text: answer.text,
        reasoning: answer.reasoning.replaceAll('\n\n', ''),
        calls: answer.calls,
        finish: answer.finish,
      })
      expect(told.blocks.map(unpacked)).toEqual(answer.blocks)
      expect(read.usage).toMatchObject({ inputTokens: 10, outputTokens: 5 })
      expect(read.verdicts.at(-1)).toBe('terminal')
      expect(read.verdicts).not.toContain('garbage')
    }),
    { numRuns: 150 },
  )
})

/** A block that a client of this API would send back, as it is restored. */
function unpacked(block: unknown): unknown {
  const { encrypted_content: encrypted } = block as { encrypted_content: string }
  return restore(encrypted) ?? block
}

it('property: a whole answer and the next turn round-trip through Responses', () => {
  fc.assert(
    fc.property(streamedAnswer, ({ text, reasoning, blocks, calls, finish }) => {
      const reply = replyOf({ text, reasoning, blocks, calls, finish })
      const request: ResponsesRequest = { model: 'm', input: 'First', include }
      const response = responses.fromCanonical(reply, request, formatContext())
      const { output } = validate(ResponseObject, response)
      const back = codec.decode(received(JSON.stringify(response)), codecContext(), asked)
      expect(back.reply.choices[0]).toMatchObject({
        message: { content: text === '' ? null : text, refusal: null },
        finish_reason: finish,
      })
      const history = [...inputItems(request, formatContext().newId), ...output]
      const next = withHistory({ ...request, input: 'Next' }, history)
      const { messages } = responses.toCanonical(validate(responses.request, next), formatContext())
      const said = messages.filter(({ role }) => role === 'assistant')
      expect(said.flatMap(({ thinking_blocks: kept }) => kept ?? [])).toEqual(blocks)
      expect(said.flatMap(({ tool_calls: made }) => made ?? [])).toEqual(
        reply.choices[0]?.message.tool_calls ?? [],
      )
      expect(said.map(({ content }) => (typeof content === 'string' ? content : '')).join('')).toBe(
        text,
      )
    }),
    { numRuns: 200 },
  )
})

type Answer = Pick<
  typeof streamedAnswer extends fc.Arbitrary<infer A> ? A : never,
  'text' | 'reasoning' | 'blocks' | 'calls' | 'finish'
>

function replyOf({ text, reasoning, blocks, calls, finish }: Answer): ChatReply {
  const message = {
    role: 'assistant' as const,
    content: text === '' ? null : text,
    refusal: null,
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(blocks.length === 0 ? {} : { thinking_blocks: [...blocks] }),
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map(({ id, name, input }) => ({
            id,
            type: 'function' as const,
            function: { name, arguments: input },
          })),
        }),
  }
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message, finish_reason: finish, logprobs: null }],
    usage: chatUsage({ inputTokens: 10, outputTokens: 5 }),
    system_fingerprint: null,
  }
}
