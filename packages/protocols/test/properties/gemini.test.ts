import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  codecContext,
  eventsInPieces,
  formatContext,
  received,
} from '../../../../test/support/codec-context.ts'
import { answerOf } from '../../../../test/support/formats/chat-answer.ts'
import { readStream } from '../../../../test/support/formats/read-stream.ts'
import { type ChatReply, chat as operation } from '../../../contract/src/operations/chat.ts'
import type {
  ContentPart,
  Message,
  ToolCall,
} from '../../../contract/src/operations/chat-message.ts'
import type { ChatRequest } from '../../../contract/src/operations/chat-request.ts'
import type { Step } from '../../../contract/src/operations/operation.ts'
import { validate } from '../../../contract/src/operations/validate.ts'
import { generateContent, streamGenerateContent } from '../../src/gemini/client/formats.ts'
import { gemini } from '../../src/gemini/index.ts'
import '../../../../test/support/property-limits.ts'

// What the codec sends is what a client of Gemini's own format would send, so the two undo each other.
const chat = gemini.codecs.chat!
const context = () => codecContext({ model: 'gemini-3-flash' })

const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
const names = fc.constantFrom('get_weather', 'f', 'a.b:c-d')
const argumentsText = fc
  .dictionary(fc.string({ maxLength: 5 }), fc.oneof(fc.jsonValue(), fc.maxSafeInteger()))
  .map((value) => JSON.stringify(value))
const signature = fc.option(fc.base64String({ minLength: 4, maxLength: 12 }), { nil: undefined })

const call = fc
  .record({
    name: names,
    text: fc.oneof(argumentsText, fc.constant('{"id":9007199254740993}')),
    signed: signature,
  })
  .map(({ name, text, signed }) => ({ name, text, signed }))
type Made = { name: string; text: string; signed: string | undefined }

function toolCalls(made: readonly Made[], turn: number): ToolCall[] {
  return made.map(({ name, text, signed }, index) => ({
    id: `call_${turn}_${index}`,
    type: 'function',
    function: { name, arguments: text },
    ...(signed === undefined ? {} : { extra_content: { google: { thought_signature: signed } } }),
  }))
}

const picture = fc.base64String({ minLength: 4, maxLength: 16 }).map(
  (data): ContentPart => ({
    type: 'image_url',
    image_url: { url: `data:image/png;base64,${data}` },
  }),
)
const sound = fc
  .base64String({ minLength: 4, maxLength: 16 })
  .map((data): ContentPart => ({ type: 'input_audio', input_audio: { data, format: 'wav' } }))
const said = words.map((text): ContentPart => ({ type: 'text', text }))
const userContent = fc.oneof(
  words,
  fc.array(fc.oneof(said, picture, sound), { minLength: 1, maxLength: 3 }),
)

const result = fc.oneof(
  words,
  argumentsText.filter((text) => !text.includes('"output"')),
)
const turn = fc.record({
  asked: userContent,
  answered: fc.oneof(words, fc.constant(null)),
  calls: fc.array(fc.record({ call, result }), { maxLength: 3 }),
  shuffled: fc.boolean(),
})

const conversation = fc
  .record({
    system: fc.option(words, { nil: undefined }),
    turns: fc.array(turn, { minLength: 1, maxLength: 4 }),
    last: userContent,
  })
  .map(({ system, turns, last }): Message[] => [
    ...(system === undefined ? [] : [{ role: 'system' as const, content: system }]),
    ...turns.flatMap(({ asked, answered, calls, shuffled }, index): Message[] => {
      const made = toolCalls(
        calls.map((each) => each.call),
        index,
      )
      const results = calls.map(
        (each, place): Message => ({
          role: 'tool',
          tool_call_id: made[place]!.id,
          content: each.result,
        }),
      )
      return [
        { role: 'user', content: asked },
        {
          role: 'assistant',
          content: made.length === 0 ? (answered ?? 'Yes') : answered,
          ...(made.length === 0 ? {} : { tool_calls: made }),
        },
        ...(shuffled ? results.toReversed() : results),
      ]
    }),
    { role: 'user', content: last },
  ])

const settings = fc.record(
  {
    temperature: fc.double({ min: 0, max: 2, noNaN: true }),
    top_p: fc.double({ min: 0, max: 1, noNaN: true }),
    max_completion_tokens: fc.integer({ min: 1, max: 9999 }),
    stop: fc.array(words, { minLength: 1, maxLength: 4 }),
    seed: fc.integer(),
    n: fc.integer({ min: 2, max: 8 }),
    reasoning_effort: fc.constantFrom('minimal', 'low', 'medium', 'high'),
    tool_choice: fc.constantFrom('none', 'required'),
    response_format: fc.constant({ type: 'json_object' }),
  },
  { requiredKeys: [] },
)

/** What a conversation says, however its messages are cut; results stand in the order of their calls. */
function meaning(messages: readonly Message[]): readonly unknown[] {
  return messages
    .toSorted((left, right) => order(messages, left) - order(messages, right))
    .map(({ role, content, tool_calls: calls, tool_call_id: id }) => ({
      role,
      content:
        typeof content === 'string' && role !== 'assistant' && role !== 'tool'
          ? [{ type: 'text', text: content }]
          : content,
      // Without one of its own the first call of a step has the documented stand-in.
      calls: calls?.map(({ extra_content: _, ...each }) => each),
      id,
    }))
}

/** Only neighboring results change places. */
function order(messages: readonly Message[], message: Message): number {
  const at = messages.indexOf(message)
  if (message.role !== 'tool') return at
  const asker = messages.findLastIndex(({ role }, index) => role === 'assistant' && index < at)
  const calls = messages[asker]?.tool_calls ?? []
  return asker + 1 + calls.findIndex(({ id }) => id === message.tool_call_id)
}

test('property: a conversation and settings round-trip through Gemini’s format', () => {
  fc.assert(
    fc.property(conversation, settings, (messages, fields) => {
      const tools = [
        {
          type: 'function' as const,
          function: {
            name: 'f',
            description: 'F',
            parameters: { type: 'object', properties: { a: { type: 'string' } } },
          },
        },
      ]
      const request = validate(operation.request, {
        model: 'm',
        messages,
        tools,
        ...fields,
      }) as ChatRequest
      operation.check?.(request)
      const { body } = chat.encode(request, context())
      const wire = { model: 'm', ...(body as { value: object }).value }
      const back = validate(
        operation.request,
        generateContent.toCanonical(validate(generateContent.request, wire), formatContext()),
      )
      expect(meaning(back.messages)).toEqual(meaning(messages))
      expect({ ...back, messages: [] }).toEqual({ ...request, messages: [] })
      const sent = messages.flatMap(({ tool_calls: calls }) => calls ?? [])
      const kept = back.messages.flatMap(({ tool_calls: calls }) => calls ?? [])
      for (const [index, { extra_content: extra }] of sent.entries())
        if (extra != null) expect(kept[index]?.extra_content).toEqual(extra)
    }),
    { numRuns: 150 },
  )
})

const foreign = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant('thinking' as const), thinking: words, signature: words }),
    fc.record({ type: fc.constant('redacted_thinking' as const), data: words }),
    fc.record({
      type: fc.constant('reasoning' as const),
      id: words,
      summary: fc.array(words),
      encrypted_content: words,
    }),
  ),
  { maxLength: 2 },
)
const own = fc.array(
  fc.record({
    type: fc.constant('thought' as const),
    signature: fc.base64String({ minLength: 4, maxLength: 8 }),
  }),
  { maxLength: 2 },
)

const choice = fc
  .record({
    text: fc.option(words, { nil: null }),
    reasoning: fc.option(words, { nil: undefined }),
    calls: fc.array(call, { maxLength: 3 }),
    blocks: fc.oneof(own, foreign),
    finish: fc.constantFrom('stop', 'length', 'content_filter'),
  })
  .map(({ text, reasoning, calls, blocks, finish }) => ({
    message: {
      role: 'assistant' as const,
      content: text === null && calls.length === 0 ? '' : text,
      refusal: null,
      ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
      ...(blocks.length === 0 ? {} : { thinking_blocks: blocks }),
      ...(calls.length === 0 ? {} : { tool_calls: toolCalls(calls, 0) }),
    },
    finish_reason:
      finish === 'stop' && calls.length > 0
        ? ('tool_calls' as const)
        : (finish as 'stop' | 'length'),
  }))

const counts = fc.record({
  prompt: fc.nat(9999),
  cached: fc.nat(99),
  output: fc.nat(9999),
  thoughts: fc.nat(99),
})

const reply = fc.record({ choices: fc.array(choice, { minLength: 1, maxLength: 3 }), counts }).map(
  ({ choices, counts: { prompt, cached, output, thoughts } }): ChatReply => ({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'public-model',
    choices: choices.map((each, index) => ({ index, logprobs: null, ...each })),
    usage: {
      prompt_tokens: prompt + cached,
      completion_tokens: output + thoughts,
      total_tokens: prompt + cached + output + thoughts,
      prompt_tokens_details: {
        cached_tokens: cached,
        text_tokens: prompt + cached,
        audio_tokens: 0,
        image_tokens: 0,
      },
      completion_tokens_details: {
        text_tokens: output,
        audio_tokens: 0,
        reasoning_tokens: thoughts,
      },
    },
    system_fingerprint: null,
  }),
)

const asked: ChatRequest = { model: 'm', messages: [{ role: 'user', content: 'x' }] }
const clientRequest = {
  model: 'm',
  contents: [{ role: 'user', parts: [{ text: 'x' }] }],
  generationConfig: { thinkingConfig: { includeThoughts: true } },
}

/** The blocks of other providers as a client that sends the parts back would return them. */
function returned(parts: readonly unknown[]): readonly unknown[] {
  const history = {
    ...clientRequest,
    contents: [...clientRequest.contents, { role: 'model', parts }],
  }
  const { messages } = generateContent.toCanonical(
    validate(generateContent.request, history),
    formatContext(),
  )
  return messages[1]?.thinking_blocks ?? []
}

test('property: an answer with foreign reasoning round-trips through Gemini’s format', () => {
  fc.assert(
    fc.property(reply, (given) => {
      const wire = generateContent.fromCanonical(given, clientRequest, formatContext()) as {
        readonly candidates: readonly { readonly content: { readonly parts: readonly unknown[] } }[]
      }
      validate(generateContent.reply, wire)
      const read = chat.decode(received(JSON.stringify(wire)), context(), asked).reply
      expect(read.usage).toEqual(given.usage)
      for (const [index, { message, finish_reason: finish }] of given.choices.entries()) {
        const { thinking_blocks: blocks = [], ...rest } = message
        const { thinking_blocks: _, ...others } = read.choices[index]!.message
        const isCarried = blocks !== null && blocks.some(({ type }) => type !== 'thought')
        if (!isCarried)
          expect({ ...others, content: others.content ?? '' }).toEqual({
            ...rest,
            content: rest.content ?? '',
          })
        expect(read.choices[index]?.finish_reason).toBe(finish)
        expect(returned(wire.candidates[index]!.content.parts)).toEqual(blocks)
      }
    }),
    { numRuns: 150 },
  )
})

/** The answer in pieces, as an upstream of chunks would send it, the calls' arguments in turn. */
function stepsOf({ choices }: ChatReply, size: number): readonly Step<never>[] {
  const pieces = (text: string): string[] => text.match(new RegExp(`[^]{1,${size}}`, 'gu')) ?? []
  const steps = choices.flatMap(({ index, message, finish_reason: finish }) => {
    const calls = message.tool_calls ?? []
    const deltas = [
      { role: 'assistant', content: '' },
      ...pieces(message.reasoning_content ?? '').map((text) => ({ reasoning_content: text })),
      ...pieces(message.content ?? '').map((text) => ({ content: text })),
      ...(message.thinking_blocks?.length ? [{ thinking_blocks: message.thinking_blocks }] : []),
      ...calls.map((each, slot) => ({
        tool_calls: [
          { index: slot, ...each, function: { name: each.function?.name, arguments: '' } },
        ],
      })),
      ...calls.flatMap((each, slot) =>
        pieces(each.function?.arguments ?? '').map((text) => ({
          tool_calls: [{ index: slot, function: { arguments: text } }],
        })),
      ),
    ]
    return [
      ...deltas.map((delta) => ({ index, delta, finish_reason: null })),
      { index, delta: {}, finish_reason: finish },
    ]
  })
  const head = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' }
  return steps.map((each) => ({
    event: validate(operation.event, { ...head, choices: [each] }) as never,
  }))
}

test('property: a stream equals the whole answer, however it is split', async () => {
  await fc.assert(
    fc.asyncProperty(
      reply,
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 40 }),
      async (given, size, bytes) => {
        const writer = streamGenerateContent.writer!(clientRequest, formatContext(), 'alt=sse')
        const text =
          stepsOf(given, size)
            .map((step) => writer.write(step))
            .join('') + writer.end()
        const events = eventsInPieces(text, bytes)
        const { steps, error } = readStream(chat.stream!, {
          events,
          context: context(),
          request: asked,
        })
        expect(error).toBeUndefined()
        for (const { index, message, finish_reason: finish } of given.choices)
          expect(answerOf(steps, index)).toMatchObject({
            text: message.content ?? '',
            reasoning: message.reasoning_content ?? '',
            finish,
            calls: (message.tool_calls ?? []).map(({ id, function: made }) => ({
              id,
              name: made?.name,
              input: made?.arguments,
            })),
          })
      },
    ),
    { numRuns: 80 },
  )
})
