import fc from 'fast-check'
import type {
  ChatChunk,
  ChatDelta,
  FinishReason,
} from '../../../packages/contract/src/operations/chat.ts'
import type {
  ContentPart,
  Message,
  ThinkingBlock,
  ToolCall,
} from '../../../packages/contract/src/operations/chat-message.ts'
import type { Step } from '../../../packages/contract/src/operations/operation.ts'

/** Conversations and streamed responses for property tests: Unicode, parallel calls, long integers, reasoning. */

const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
const toolName = fc.stringMatching(/^[a-zA-Z_][a-zA-Z0-9_-]{0,12}$/)

export const argumentsText = fc.oneof(
  fc
    .dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
    .map((value) => JSON.stringify(value)),
  fc.bigInt({ min: 2n ** 53n, max: 2n ** 70n }).map((id) => `{"id":${id}}`),
)

const imagePart = fc
  .oneof(
    fc.constant('https://example.com/a.png'),
    fc
      .base64String({ minLength: 4, maxLength: 16 })
      .map((data) => `data:image/webp;base64,${data}`),
  )
  .chain((url) =>
    fc
      .constantFrom('low' as const, 'high' as const, 'auto' as const)
      .map((detail): ContentPart => ({ type: 'image_url', image_url: { url, detail } })),
  )
const filePart = fc.base64String({ minLength: 4, maxLength: 16 }).map(
  (data): ContentPart => ({
    type: 'file',
    file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${data}` },
  }),
)
const textPart = words.map((text): ContentPart => ({ type: 'text', text }))

const user = fc
  .oneof(words, fc.array(fc.oneof(textPart, imagePart, filePart), { minLength: 2, maxLength: 3 }))
  .map((content): Message => ({ role: 'user', content }))
const instruction = fc
  .tuple(fc.constantFrom('system' as const, 'developer' as const), words)
  .map(([role, content]): Message => ({ role, content }))

/** Reasoning of any protocol, starting with its text if it has one. */
export const thinkingBlock: fc.Arbitrary<ThinkingBlock> = fc.oneof(
  fc
    .record({ thinking: words, signature: words })
    .map((block) => ({ type: 'thinking' as const, ...block })),
  words.map((data) => ({ type: 'redacted_thinking' as const, data })),
  fc
    .record({ id: fc.nat().map((id) => `rs_${id}`), text: words, encrypted_content: words })
    .map(({ text, ...block }) => ({ type: 'reasoning' as const, summary: [text], ...block })),
)

/** The text of the blocks as it appears in `reasoning_content`. */
export function shownText(blocks: readonly ThinkingBlock[]): string {
  return blocks.flatMap(({ thinking, summary }) => thinking ?? summary ?? []).join('\n\n')
}

const call = fc.record({
  name: toolName,
  text: argumentsText,
  result: words,
  custom: fc.boolean(),
  signature: fc.option(words, { nil: undefined }),
})

/** An assistant's step with its tool results. */
const step = fc
  .record({
    said: fc.option(words, { nil: undefined }),
    blocks: fc.array(thinkingBlock, { maxLength: 2 }),
    calls: fc.array(call, { maxLength: 3 }),
  })
  .filter(({ said, calls }) => said !== undefined || calls.length > 0)
  .map(({ said, blocks, calls }) => (number: number): Message[] => {
    const shown = shownText(blocks)
    const made = calls.map((given, index): ToolCall => {
      const id = `call_${number}_${index}`
      const { name, text, signature } = given
      const extra =
        signature === undefined
          ? {}
          : { extra_content: { google: { thought_signature: signature } } }
      return given.custom
        ? { id, type: 'custom', custom: { name, input: text }, ...extra }
        : { id, type: 'function', function: { name, arguments: text }, ...extra }
    })
    return [
      {
        role: 'assistant',
        content: said ?? null,
        ...(shown === '' ? {} : { reasoning_content: shown }),
        ...(blocks.length === 0 ? {} : { thinking_blocks: blocks }),
        ...(made.length === 0 ? {} : { tool_calls: made }),
      },
      ...calls.map(
        ({ result }, index): Message => ({
          role: 'tool',
          tool_call_id: `call_${number}_${index}`,
          content: result,
        }),
      ),
    ]
  })

/** System and developer messages anywhere, steps with parallel calls, and a user message at the end. */
export const conversation: fc.Arbitrary<Message[]> = fc
  .record({
    head: fc.array(instruction, { maxLength: 2 }),
    turns: fc.array(fc.tuple(user, step, fc.option(instruction, { nil: undefined })), {
      maxLength: 3,
    }),
    last: user,
  })
  .map(({ head, turns, last }) => [
    ...head,
    ...turns.flatMap(([asked, answered, late], index) => [
      asked,
      ...answered(index),
      ...(late === undefined ? [] : [late]),
    ]),
    last,
  ])

/** The expected content of a streamed response, and the chunks that carry it. */
export interface StreamedAnswer {
  readonly steps: readonly Step<ChatChunk>[]
  readonly text: string
  readonly reasoning: string
  readonly blocks: readonly ThinkingBlock[]
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: string }[]
  readonly finish: FinishReason
}

/** A text split into pieces at random places. */
export function pieces(text: string): fc.Arbitrary<readonly string[]> {
  const characters = Array.from(text)
  return fc
    .uniqueArray(fc.nat({ max: Math.max(0, characters.length - 1) }), { maxLength: 3 })
    .map((cuts) => {
      const at = [0, ...cuts.toSorted((one, other) => one - other), characters.length]
      return at.slice(1).map((end, index) => characters.slice(at[index], end).join(''))
    })
}

function chunk(delta: ChatDelta, finish: FinishReason | null = null): Step<ChatChunk> {
  const choice = { index: 0, delta, finish_reason: finish, logprobs: null }
  return {
    event: {
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      created: 1_700_000_000,
      model: 'public-model',
      choices: [choice],
      system_fingerprint: null,
    },
  }
}

/** Calls whose pieces interleave in a random order; the pieces of each call stay in order. */
function interleaved(calls: readonly (readonly ChatDelta[])[]): fc.Arbitrary<readonly ChatDelta[]> {
  const order = calls.flatMap((deltas, index) => deltas.map(() => index))
  return fc.shuffledSubarray(order, { minLength: order.length }).map((shuffled) => {
    const next = calls.map(() => 0)
    // A call starts only after the ones before it, because its index counts them.
    const begun = calls.flatMap(([first]) => first ?? [])
    for (const index of calls.keys()) next[index] = 1
    const rest = shuffled.flatMap((index) => {
      const at = next[index] ?? 0
      next[index] = at + 1
      return calls[index]?.[at] ?? []
    })
    return [...begun, ...rest]
  })
}

export const streamedAnswer: fc.Arbitrary<StreamedAnswer> = fc
  .record({
    blocks: fc.array(thinkingBlock, { maxLength: 2 }),
    text: fc.oneof(fc.constant(''), words),
    calls: fc.array(fc.record({ name: toolName, text: argumentsText }), { maxLength: 3 }),
    cut: fc.boolean(),
  })
  .chain(({ blocks, text, calls, cut }) => {
    const texts = blocks.map(({ thinking, summary }) => thinking ?? summary?.join('') ?? '')
    const finish: FinishReason = cut ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop'
    const made = calls.map(({ name, text: input }, index) => ({ id: `call_${index}`, name, input }))
    return fc
      .tuple(
        fc.tuple(...texts.map(pieces)),
        pieces(text),
        fc.tuple(...calls.map((given) => pieces(given.text))),
      )
      .chain(([thoughts, said, inputs]) =>
        interleaved(
          made.map(({ id, name }, index) => [
            { tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] },
            ...(inputs[index] ?? []).map(
              (input): ChatDelta => ({
                tool_calls: [{ index, function: { arguments: input } }],
              }),
            ),
          ]),
        ).map((called): StreamedAnswer => {
          const deltas: ChatDelta[] = [
            { role: 'assistant', content: '' },
            ...blocks.flatMap((block, index): ChatDelta[] => [
              ...(thoughts[index] ?? []).map((piece) => ({ reasoning_content: piece })),
              { thinking_blocks: [block] },
            ]),
            ...said.map((piece) => ({ content: piece })),
            ...called,
          ]
          const told = deltas.filter(
            ({ content, reasoning_content: thought, ...rest }) =>
              Object.keys(rest).length > 0 || (content !== '' && thought !== ''),
          )
          const usage = { inputTokens: 10, outputTokens: 5 }
          return {
            steps: [...told.map((delta) => chunk(delta)), chunk({}, finish), { usage }],
            text,
            reasoning: texts.join(''),
            blocks,
            calls: made,
            finish,
          }
        }),
      )
  })
