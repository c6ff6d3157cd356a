import fc from 'fast-check'
import type {
  ChatChunk,
  ChatDelta,
  ChatReply,
  FinishReason,
} from '../../../packages/contract/src/operations/chat.ts'
import type { ThinkingBlock } from '../../../packages/contract/src/operations/chat-message.ts'
import type { Step } from '../../../packages/contract/src/operations/operation.ts'
import { chatUsage } from '../../../packages/contract/src/operations/usage-shape.ts'
import { argumentsText, pieces, shownText, thinkingBlock } from './arbitrary-chat.ts'
import { toolName, toolResult, words } from './conversation.ts'

/** A response of an upstream: its text, its tool calls, and the reasoning that must be sent back. */
export interface Answer {
  readonly text: string
  readonly refusal: string | undefined
  readonly blocks: readonly ThinkingBlock[]
  readonly calls: readonly {
    readonly id: string
    readonly name: string
    readonly input: string
    /** Used by Gemini. */
    readonly signature: string | undefined
    /** The result that the tool will return. */
    readonly result: string
  }[]
  readonly finish: FinishReason
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number }
}

const signature = fc.base64String({ minLength: 4, maxLength: 12 })
const thought = signature.map((text) => ({ type: 'thought' as const, signature: text }))
const call = fc.record({
  name: toolName,
  input: argumentsText,
  signature: fc.option(signature, { nil: undefined }),
  result: toolResult,
})

export const answer: fc.Arbitrary<Answer> = fc
  .record({
    text: fc.oneof(fc.constant(''), words),
    refusal: fc.option(words, { nil: undefined, freq: 4 }),
    blocks: fc.array(fc.oneof({ weight: 3, arbitrary: thinkingBlock }, thought), { maxLength: 3 }),
    calls: fc.array(call, { maxLength: 3 }),
    cut: fc.boolean(),
    usage: fc.record({ inputTokens: fc.nat(9999), outputTokens: fc.nat(9999) }),
  })
  .map(({ calls: given, cut, refusal, ...rest }): Answer => {
    const calls = given.map((each, index) => ({ ...each, id: `call_${index}` }))
    const declined = calls.length === 0 && rest.text === '' ? (refusal ?? 'No.') : undefined
    const finish = cut ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop'
    return { ...rest, calls, refusal: declined, finish }
  })

const signed = (text: string | undefined) =>
  text === undefined ? {} : { extra_content: { google: { thought_signature: text } } }

export function replyOf({ text, refusal, blocks, calls, finish, usage }: Answer): ChatReply {
  const shown = shownText(blocks)
  const message = {
    role: 'assistant' as const,
    content: text === '' ? null : text,
    refusal: refusal ?? null,
    ...(shown === '' ? {} : { reasoning_content: shown }),
    ...(blocks.length === 0 ? {} : { thinking_blocks: [...blocks] }),
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map(({ id, name, input, signature: own }) => ({
            id,
            type: 'function' as const,
            function: { name, arguments: input },
            ...signed(own),
          })),
        }),
  }
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'm',
    choices: [{ index: 0, message, finish_reason: finish, logprobs: null }],
    usage: chatUsage(usage),
    system_fingerprint: null,
  }
}

function chunk(delta: ChatDelta, finish: FinishReason | null = null): Step<ChatChunk> {
  const choice = { index: 0, delta, finish_reason: finish, logprobs: null }
  const head = {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
  } as const
  return { event: { ...head, choices: [choice], system_fingerprint: null } }
}

/** Any order in which the pieces of several calls may arrive; the pieces of each call stay in order. */
function interleaved(calls: readonly (readonly ChatDelta[])[]): fc.Arbitrary<readonly ChatDelta[]> {
  const order = calls.flatMap((deltas, index) => deltas.slice(1).map(() => index))
  return fc.shuffledSubarray(order, { minLength: order.length }).map((shuffled) => {
    const next = calls.map(() => 1)
    const rest = shuffled.flatMap((index) => calls[index]?.[next[index]!++] ?? [])
    return [...calls.flatMap(([first]) => first ?? []), ...rest]
  })
}

/** The response in chunks, with every text split at random places. */
export function stepsOf(given: Answer): fc.Arbitrary<readonly Step<ChatChunk>[]> {
  const { text, refusal = '', blocks, calls, finish, usage } = given
  const thoughts = fc.tuple(...blocks.map((block) => pieces(shownText([block]))))
  const inputs = fc.tuple(...calls.map(({ input }) => pieces(input)))
  return fc
    .tuple(thoughts, pieces(text), pieces(refusal), inputs)
    .chain(([thought, said, declined, cut]) =>
      interleaved(
        calls.map(({ id, name, signature: own }, index): readonly ChatDelta[] => [
          {
            tool_calls: [
              { index, id, type: 'function', function: { name, arguments: '' }, ...signed(own) },
            ],
          },
          ...(cut[index] ?? []).map((piece) => ({
            tool_calls: [{ index, function: { arguments: piece } }],
          })),
        ]),
      ).map((called) => {
        const deltas: ChatDelta[] = [
          ...blocks.flatMap((block, index): ChatDelta[] => [
            ...(thought[index] ?? []).map((piece) => ({ reasoning_content: piece })),
            { thinking_blocks: [block] },
          ]),
          ...said.map((piece) => ({ content: piece })),
          ...declined.map((piece) => ({ refusal: piece })),
          ...called,
        ]
        return [
          chunk({ role: 'assistant', content: '' }),
          ...deltas.map((delta) => chunk(delta)),
          chunk({}, finish),
          { usage },
        ]
      }),
    )
}
