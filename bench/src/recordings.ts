import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { shapeOf } from './streams/shape.ts'
import { streamKind, type StreamKind } from './streams/streams.ts'

/** The recordings, as paths in their folder, that have the shapes of the streams of a kind. */
interface Held {
  readonly kinds: readonly string[]
  readonly recordings: readonly string[]
}

/** Of OpenAI's chat with tool calls and of Groq's texts there are no recordings. */
export const heldToRecordings: readonly Held[] = [
  { kinds: ['chat'], recordings: ['openai/openai-text'] },
  { kinds: ['deepseek'], recordings: ['deepseek/deepseek-tool-call'] },
  { kinds: ['groq-tools'], recordings: ['groq/groq-tool-call'] },
  { kinds: ['moonshot'], recordings: ['moonshotai/moonshotai-stream'] },
  { kinds: ['xai'], recordings: ['xai/xai-text'] },
  {
    kinds: ['responses', 'responses-tools'],
    recordings: ['openai/openai-reasoning-encrypted-content.1'],
  },
  {
    kinds: ['messages', 'messages-tools'],
    recordings: [
      'anthropic/anthropic-text',
      'anthropic/anthropic-clear-thinking.1',
      'anthropic/anthropic-json-tool.1',
      'anthropic/anthropic-tool-no-args',
    ],
  },
  {
    kinds: ['gemini', 'gemini-tools'],
    recordings: [
      'google/google-text',
      'google/google-reasoning-gemini3',
      'google/google-tool-call',
      'google/google-tool-call-gemini3',
    ],
  },
]

/** The documents of recorded streams, in order. */
export function recordedDocuments(
  folder: string,
  recordings: readonly string[],
): readonly string[] {
  return recordings.flatMap((name) =>
    readFileSync(join(folder, `${name}.chunks.txt`), 'utf8')
      .split('\n')
      .filter((line) => line.trim() !== ''),
  )
}

/** Kinds of streams of which there are recordings. */
export const heldKinds: readonly StreamKind[] = heldToRecordings.flatMap(({ kinds }) =>
  kinds.map(streamKind),
)

/** Streams with each event replaced by a recorded one of its shape, as far as there is one. */
export function recordedStream(
  folder: string,
  { name }: StreamKind,
): (documents: readonly string[]) => readonly string[] {
  const held = heldToRecordings.find(({ kinds }) => kinds.includes(name))
  const byShape = Map.groupBy(recordedDocuments(folder, held?.recordings ?? []), shapeOf)
  const used = new Map<string, number>()
  return (documents) =>
    documents.map((document) => {
      const shape = shapeOf(document)
      const recorded = byShape.get(shape)
      if (!recorded) return document
      const count = used.get(shape) ?? 0
      used.set(shape, count + 1)
      return recorded[count % recorded.length] ?? document
    })
}
