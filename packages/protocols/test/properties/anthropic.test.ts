import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  codecContext,
  eventsInPieces,
  formatContext,
  received,
} from '../../../../test/support/codec-context.ts'
import { answerOf } from '../../../../test/support/formats/chat-answer.ts'
import {
  canonical,
  chunks,
  eventsOf,
  written,
} from '../../../../test/support/formats/messages-client.ts'
import { readStream } from '../../../../test/support/formats/read-stream.ts'
import type { ChatDelta, ChatReply } from '../../../contract/src/operations/chat.ts'
import type { ContentPart, Message } from '../../../contract/src/operations/chat-message.ts'
import type { ChatRequest } from '../../../contract/src/operations/chat-request.ts'
import { chatUsage } from '../../../contract/src/operations/usage-shape.ts'
import { formatJson, parseJson } from '../../../contract/src/wire/json.ts'
import { messages } from '../../src/anthropic/client/formats.ts'
import { chat } from '../../src/anthropic/upstream/chat.ts'
import '../../../../test/support/property-limits.ts'

// The oldest model takes every sampling field, so that requests differ in nothing else.
const context = () => codecContext({ model: 'claude-sonnet-4-20250514', publicModel: 'm' })

function sent(request: ChatRequest): object {
  const { body } = chat.encode(request, context())
  if (body?.kind !== 'json') throw new Error('no JSON')
  // As it goes over the wire, where large integers are text.
  return parseJson(formatJson(body.value)) as object
}

/** What a conversation says, whether in strings or parts. */
function meaning({ content, ...rest }: Message): object {
  const parts: readonly ContentPart[] =
    typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? [])
  return { ...rest, content: parts }
}

const words = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  .filter((text) => text.trim() === text && text !== '')
const name = fc.stringMatching(/^[a-zA-Z_][a-zA-Z0-9_-]{0,12}$/)
const json = fc
  .dictionary(fc.string({ maxLength: 5 }), fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.integer()), {
    maxKeys: 3,
  })
  .filter((value) => !JSON.stringify(value).includes('__proto__'))
const big = fc.bigInt({ min: 2n ** 53n, max: 2n ** 70n })
const argumentsText = fc.oneof(
  json.map((value) => JSON.stringify(value)),
  big.map((id) => `{"id":${id}}`),
  fc.constant('{}'),
)
const textPart = words.map((text): ContentPart => ({ type: 'text', text }))
const imagePart = fc.oneof(
  fc.constant('https://example.com/a.png'),
  fc.base64String({ minLength: 4, maxLength: 16 }).map((data) => `data:image/webp;base64,${data}`),
)
const userParts = fc.array(
  fc.oneof(
    textPart,
    imagePart.map((url): ContentPart => ({ type: 'image_url', image_url: { url } })),
  ),
  { minLength: 1, maxLength: 3 },
)
const user = fc.oneof(words, userParts).map((content): Message => ({ role: 'user', content }))

const thinking = fc.record({
  type: fc.constant('thinking' as const),
  thinking: words,
  signature: fc.base64String({ minLength: 4, maxLength: 12 }),
})

/** An assistant's step: words, or calls with their results, in which case it answers after them. */
const step = fc
  .record({
    said: words,
    thought: fc.option(thinking, { nil: undefined }),
    calls: fc.array(fc.tuple(name, argumentsText, words), { maxLength: 3 }),
    quiet: fc.boolean(),
  })
  .map(({ said, thought, calls, quiet }) => (step: number): Message[] => {
    const content = quiet && calls.length > 0 ? null : said
    const thoughts =
      thought === undefined
        ? {}
        : { reasoning_content: thought.thinking, thinking_blocks: [thought] }
    const tool_calls = calls.map(([called, text], index) => ({
      id: `call_${step}_${index}`,
      type: 'function' as const,
      function: { name: called, arguments: text },
    }))
    return [
      { role: 'assistant', content, ...thoughts, ...(calls.length > 0 ? { tool_calls } : {}) },
      ...calls.map(
        ([, , result], index): Message => ({
          role: 'tool',
          tool_call_id: `call_${step}_${index}`,
          content: result,
        }),
      ),
    ]
  })

const conversation = fc
  .record({
    system: fc.option(words, { nil: undefined }),
    turns: fc.array(fc.tuple(user, step), { maxLength: 3 }),
    last: user,
  })
  .map(({ system, turns, last }): Message[] => [
    ...(system === undefined ? [] : [{ role: 'system' as const, content: system }]),
    ...turns.flatMap(([asked, answered], index) => [asked, ...answered(index)]),
    last,
  ])

const settings = fc.record(
  {
    temperature: fc.integer({ min: 0, max: 9 }).map((tenths) => tenths / 10),
    top_p: fc.integer({ min: 1, max: 9 }).map((tenths) => tenths / 10),
    top_k: fc.integer({ min: 1, max: 50 }),
    stop: fc.array(words, { minLength: 1, maxLength: 4 }),
    user: words,
    stream: fc.constant(true),
    service_tier: fc.constant('default'),
    parallel_tool_calls: fc.constant(false),
    tool_choice: fc.constantFrom('auto' as const, 'none' as const, 'required' as const),
  },
  { requiredKeys: [] },
)

const tools = fc.uniqueArray(
  fc.record({
    name,
    description: words,
    parameters: json.map((properties) => ({ type: 'object', properties })),
  }),
  { minLength: 1, maxLength: 3, selector: (tool) => tool.name },
)

const request = fc
  .record({
    settings,
    tools,
    messages: conversation,
    max_completion_tokens: fc.integer({ min: 1, max: 9999 }),
  })
  .map(({ settings: set, tools: given, ...rest }): ChatRequest => {
    const single = set.parallel_tool_calls === false && set.tool_choice !== 'none'
    const { parallel_tool_calls: _, ...others } = set
    return {
      model: 'm',
      ...rest,
      ...others,
      // Without a choice of its own a single call needs one; beside `none` it says nothing.
      ...(single ? { parallel_tool_calls: false, tool_choice: set.tool_choice ?? 'auto' } : {}),
      tools: given.map((tool) => ({ type: 'function', function: tool })),
    }
  })

it('property: a chat request round-trips through the Messages format', () => {
  fc.assert(
    fc.property(request, (given) => {
      const back = canonical({ ...sent(given), model: 'm' })
      expect(back.messages.map(meaning)).toEqual(given.messages.map(meaning))
      const { messages: _, ...rest } = back
      const { messages: _messages, ...expected } = given
      // Large numbers in schemas stand as text once they were read.
      expect(parseJson(formatJson(rest))).toEqual(parseJson(formatJson(expected)))
    }),
    { numRuns: 150 },
  )
})

it('property: a Messages request round-trips through the chat format', () => {
  fc.assert(
    fc.property(request, (given) => {
      const asked = { ...sent(given), model: 'm' }
      expect({ ...sent(canonical(asked)), model: 'm' }).toEqual(asked)
    }),
    { numRuns: 150 },
  )
})

const answer = fc.record({
  said: fc.oneof(words, fc.constant('')),
  thoughts: fc.array(thinking, { maxLength: 2 }),
  calls: fc.array(fc.tuple(name, argumentsText), { maxLength: 3 }),
  cut: fc.boolean(),
  usage: fc
    .record({ input: fc.nat(999), read: fc.integer({ min: 1, max: 99 }), output: fc.nat(999) })
    .map(({ input, read, output }) => ({
      inputTokens: input + read,
      outputTokens: output,
      cachedInputTokens: read,
    })),
})

it('property: a whole answer round-trips through the Messages format', () => {
  fc.assert(
    fc.property(answer, ({ said, thoughts, calls, cut, usage }) => {
      const finish = cut ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop'
      const reply: ChatReply = {
        id: 'chatcmpl-1',
        object: 'chat.completion',
        created: 1_700_000_000,
        model: 'm',
        choices: [
          {
            index: 0,
            message: {
              role: 'assistant',
              content: said === '' && calls.length > 0 ? null : said,
              refusal: null,
              ...(thoughts.length > 0
                ? {
                    reasoning_content: thoughts.map((block) => block.thinking).join(''),
                    thinking_blocks: thoughts,
                  }
                : {}),
              ...(calls.length > 0
                ? {
                    tool_calls: calls.map(([called, text], index) => ({
                      id: `call_${index}`,
                      type: 'function',
                      function: { name: called, arguments: text },
                    })),
                  }
                : {}),
            },
            finish_reason: finish,
            logprobs: null,
          },
        ],
        usage: chatUsage(usage),
        system_fingerprint: null,
        service_tier: 'default',
      }
      const asked = {
        model: 'm',
        max_tokens: 1,
        messages: [{ role: 'user', content: 'x' }],
        thinking: { type: 'adaptive' },
      }
      const wire = formatJson(messages.fromCanonical(reply, asked, formatContext()))
      const back = chat.decode(received(wire), context(), {
        model: 'm',
        messages: [{ role: 'user', content: 'x' }],
      })
      expect(back).toEqual({ reply, usage })
    }),
    { numRuns: 200 },
  )
})

/** Pieces of one call each, and an order in which the pieces of all calls come. */
const streamed = answer.chain(({ said, thoughts, calls, cut }) => {
  const pieces = calls.flatMap(([, text], index) => text.match(/[^]{1,4}/gu)!.map(() => index))
  return fc.record({
    said: fc.constant(said),
    thoughts: fc.constant(thoughts),
    calls: fc.constant(calls),
    cut: fc.constant(cut),
    order: fc.shuffledSubarray(pieces, { minLength: pieces.length, maxLength: pieces.length }),
    size: fc.constantFrom(1, 7, 4096),
  })
})

it('property: a streamed answer round-trips through the Messages format, with interleaved calls', async () => {
  await fc.assert(
    fc.asyncProperty(streamed, async ({ said, thoughts, calls, cut, order, size }) => {
      const rest = calls.map(([, text]) => text.match(/[^]{1,4}/gu)!)
      const begun = calls.map(
        ([called], index): ChatDelta => ({
          tool_calls: [
            {
              index,
              id: `call_${index}`,
              type: 'function',
              function: { name: called, arguments: '' },
            },
          ],
        }),
      )
      const deltas: ChatDelta[] = [
        ...thoughts.flatMap((block): ChatDelta[] => [
          { reasoning_content: block.thinking },
          { thinking_blocks: [block] },
        ]),
        ...(said === '' ? [] : [{ content: said }]),
        ...begun,
        ...order.map(
          (index): ChatDelta => ({
            tool_calls: [{ index, function: { arguments: rest[index]!.shift()! } }],
          }),
        ),
      ]
      const finish = cut ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop'
      const wire = written(chunks(deltas, finish), { thinking: { type: 'adaptive' } })
      eventsOf(wire)
      const read = readStream(chat.stream!, {
        events: eventsInPieces(wire, size),
        context: context(),
        request: { model: 'm', messages: [{ role: 'user', content: 'x' }] },
      })
      expect(answerOf(read.steps)).toMatchObject({
        text: said,
        reasoning: thoughts.map((block) => block.thinking).join(''),
        blocks: thoughts,
        finish,
        calls: calls.map(([called, input], index) => ({
          id: `call_${index}`,
          name: called,
          input,
        })),
      })
      expect(read.usage).toEqual({ inputTokens: 10, outputTokens: 5, cachedInputTokens: 4 })
    }),
    { numRuns: 150 },
  )
})
