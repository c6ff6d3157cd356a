import { deflateSync } from 'node:zlib'
import type { Cue, RequestOf, Usage } from '@sluice/contract'
import type { OperationContext } from '../operation.ts'
import { countSent, countTokens, encode } from '../tokens.ts'
import type { Annotation } from './annotate.ts'
import { captionOf } from './segments.ts'

/** What is heard in a recording: one caption per segment, and all of them as one text. */
export interface Transcript {
  readonly annotation: Annotation
  readonly cues: readonly Cue[]
  readonly text: string
  readonly usage: Usage
}

/** Reading a file stops by itself after 90 seconds; this limit ends a task that hangs. */
const annotateTimeoutMs = 120_000

/** Sends an audio file to a worker. OpenAI counts one token per tenth of a second of audio. */
export async function listenTo(
  { file, prompt }: Pick<RequestOf<'translate'>, 'file' | 'prompt'>,
  { workers }: OperationContext,
): Promise<Transcript> {
  const annotation = await workers.run(
    'annotateAudio',
    { bytes: file.bytes },
    { timeoutMs: annotateTimeoutMs, param: 'file' },
  )
  const cues = annotation.segments.map((segment) => ({
    start: segment.start,
    end: segment.end,
    text: captionOf(segment),
  }))
  const text = cues.map((cue) => cue.text).join(' ')
  const audioInputTokens = Math.ceil(annotation.duration * 10)
  const usage = {
    inputTokens: audioInputTokens + countSent(prompt ?? ''),
    outputTokens: countTokens(text),
    audioInputTokens,
    seconds: annotation.duration,
  }
  return { annotation, cues, text, usage }
}

/** Segments in Whisper's form. The caption is the only candidate, so its log probability is 0. */
export function verboseSegments(
  { annotation, cues }: Transcript,
  temperature: number,
): Record<string, unknown>[] {
  return cues.map((cue, id) => ({
    id,
    // Whisper counts in hundredths of a second.
    seek: Math.round(cue.start * 100),
    ...cue,
    tokens: [],
    temperature,
    avg_logprob: 0,
    // Length of the text divided by its compressed length, both in bytes: Whisper's measure of repetition.
    compression_ratio: Buffer.byteLength(cue.text) / deflateSync(cue.text).length,
    // Whether a sound is speech is unknown here.
    no_speech_prob: annotation.segments[id]?.kind === 'sound' ? 0.5 : 1,
  }))
}

/** One entry per token; each was the only choice. */
export function logprobsOf(text: string) {
  return encode(text).map((token) => ({ token, logprob: 0, bytes: [...Buffer.from(token)] }))
}
