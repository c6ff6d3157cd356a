import {
  ChatChunk,
  ChatReply,
  type ChatChunk as Chunk,
} from '../../../packages/contract/src/operations/chat.ts'
import type { ChatRequest } from '../../../packages/contract/src/operations/chat-request.ts'
import type { Step } from '../../../packages/contract/src/operations/operation.ts'
import { validate } from '../../../packages/contract/src/operations/validate.ts'
import type { Codec } from '../../../packages/protocols/src/protocol.ts'
import { codecContext, eventsInPieces, received } from '../codec-context.ts'
import { readStream } from './read-stream.ts'
import { recordedLines, recording } from './recordings.ts'

const request: ChatRequest = {
  model: 'public-model',
  messages: [{ role: 'user', content: 'What did the provider say?' }],
}

/** The content of a response, streamed or not, for comparison. */
export interface ChatAnswer {
  readonly text: string
  readonly reasoning: string
  readonly refusal: string
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: string }[]
  readonly finish: string | null | undefined
  readonly blocks: readonly unknown[]
  readonly annotations: readonly unknown[]
}

/** A recorded whole response, decoded and checked against the canonical schema. */
export function decodedRecording(codec: Codec<'chat'>, path: string) {
  const { reply, usage } = codec.decode(received(recording(path)), codecContext(), request)
  const { message, finish_reason: finish } = validate(ChatReply, reply).choices[0]!
  const answer: ChatAnswer = {
    text: message.content ?? '',
    reasoning: message.reasoning_content ?? '',
    refusal: message.refusal ?? '',
    calls: (message.tool_calls ?? []).map(({ id, function: named, custom }) => ({
      id,
      name: named?.name ?? custom?.name ?? '',
      input: named?.arguments ?? custom?.input ?? '',
    })),
    finish,
    blocks: message.thinking_blocks ?? [],
    annotations: message.annotations ?? [],
  }
  return { answer, usage, reply }
}

/** The same for a recorded stream, fed in pieces of 1, 7 and 4,096 bytes, which must all give the same result. */
export async function streamedRecording(
  codec: Codec<'chat'>,
  path: string,
  lines: readonly string[] = recordedLines(path),
) {
  const text = path.endsWith('.sse')
    ? recording(path)
    : lines.map((line) => `data: ${line}\n\n`).join('')
  const readings = []
  for (const size of [1, 7, 4096]) {
    const events = eventsInPieces(text, size)
    const context = codecContext()
    readings.push(readStream(codec.stream!, { events, context, request }))
  }
  const [first, ...others] = readings
  for (const other of others)
    if (JSON.stringify(other) !== JSON.stringify(first))
      throw new Error('Pieces change the reading')
  const { steps, verdicts, usage, error } = first!
  return { answer: answerOf(steps), verdicts, usage, error, steps }
}

/** Combines the chunks of one choice, by default choice 0, as a client does. Throws if they break the rules of a stream. */
export function answerOf(steps: readonly Step<Chunk>[], index = 0): ChatAnswer {
  const choices = steps.flatMap((step) => {
    if (!('event' in step)) return []
    const { id, created, model, choices: told } = validate(ChatChunk, step.event)
    return told.map((choice) => ({ ...choice, envelope: `${id} ${created} ${model}` }))
  })
  const mine = choices.filter((choice) => choice.index === index)
  if (new Set(choices.map(({ envelope }) => envelope)).size > 1) throw new Error('Two envelopes')
  if (mine.length > 0 && mine[0]!.delta.role !== 'assistant') throw new Error('No role first')
  const finishes = mine.filter(({ finish_reason: finish }) => finish !== null)
  if (finishes.length > 1) throw new Error('Two finish reasons')
  const deltas = mine.map(({ delta }) => delta)
  const joined = (name: 'content' | 'reasoning_content' | 'refusal'): string =>
    deltas.map((delta) => delta[name] ?? '').join('')
  return {
    text: joined('content'),
    reasoning: joined('reasoning_content'),
    refusal: joined('refusal'),
    calls: callsOf(deltas.flatMap(({ tool_calls: calls }) => calls ?? [])),
    finish: finishes[0]?.finish_reason,
    blocks: deltas.flatMap(({ thinking_blocks: blocks }) => blocks ?? []),
    annotations: deltas.flatMap(({ annotations }) => annotations ?? []),
  }
}

type Piece = NonNullable<Chunk['choices'][number]['delta']['tool_calls']>[number]

function callsOf(pieces: readonly Piece[]) {
  const calls: { id: string; name: string; input: string }[] = []
  for (const { index, id, function: named, custom } of pieces) {
    const begun = calls[index]
    const input = named?.arguments ?? custom?.input ?? ''
    if (begun !== undefined) {
      begun.input += input
      continue
    }
    if (index !== calls.length || id === undefined)
      throw new Error(`A call begins at slot ${index}`)
    calls.push({ id, name: named?.name ?? custom?.name ?? '', input })
  }
  return calls
}
