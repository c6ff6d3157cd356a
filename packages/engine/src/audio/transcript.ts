import { deflateSync } from 'node:zlib'
import { encode } from '../tokens.ts'
import type { Annotation } from './annotate.ts'
import { captionOf, type SoundSegment } from './segments.ts'
import type { Cue } from '@sluice/contract'

/** A recording's captions: one per segment, and all of them as one text. */
export interface Transcript {
  readonly duration: number
  readonly text: string
  readonly cues: readonly Cue[]
}

export function transcriptOf(annotation: Annotation): Transcript {
  const cues = annotation.segments.map((segment) => ({
    start: segment.start,
    end: segment.end,
    text: captionOf(segment),
  }))
  const text = cues.map((cue) => cue.text).join(' ')
  return { duration: annotation.duration, text, cues }
}

/** Segments as Whisper returns them. The caption is the only candidate, so its log probability is 0. */
export function verboseSegments(
  { segments }: Annotation,
  { cues }: Transcript,
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
    compression_ratio: compressionRatio(cue.text),
    no_speech_prob: noSpeech(segments[id]),
  }))
}

/** Bytes of the text by bytes of the text compressed, Whisper's measure of repetition. */
function compressionRatio(text: string): number {
  return Buffer.byteLength(text) / deflateSync(text).length
}

/** Whether a sound is speech nobody here knows. */
function noSpeech(segment: SoundSegment | undefined): number {
  return segment?.kind === 'sound' ? 0.5 : 1
}

/** One entry per token; each was the only choice. */
export function logprobsOf(text: string) {
  return encode(text).map((token) => ({ token, logprob: 0, bytes: [...Buffer.from(token)] }))
}
