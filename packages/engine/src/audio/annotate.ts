import { invalidRequest } from '@sluice/contract'
import type { Task } from '../workers/task.ts'
import { type AudioFormat, audioSecondsMax, decodeAudio, unreadableAudio } from './decode.ts'
import { createListener } from './listen.ts'
import { findSegments, type SoundSegment } from './segments.ts'

/** What can be measured in a recording. */
export interface Annotation {
  readonly format: AudioFormat
  readonly sampleRate: number
  readonly channels: number
  /** Level of the whole recording, in dBFS. */
  readonly level: number
  /** In seconds, exactly as long as the samples. */
  readonly duration: number
  /** Without gaps, from 0 to `duration`. */
  readonly segments: readonly SoundSegment[]
}

/** Maximum time for one file, in milliseconds, so that a file made to be slow is rejected. */
const workMsMax = 90_000

/**
 * Decodes an audio file and finds what is heard in it and when. Memory grows by a few kilobytes per minute of audio. Throws
 * invalid_request if the file cannot be read, contains no audio or more than two hours of it.
 */
export const annotateAudio: Task<{ readonly bytes: Uint8Array }, Annotation> = async ({
  bytes,
}) => {
  const { format, blocks } = decodeAudio(bytes)
  const until = performance.now() + workMsMax
  let listener: ReturnType<typeof createListener> | undefined
  for await (const block of blocks) {
    listener ??= createListener(block)
    // A stream may continue with another sampling rate. Times could then no longer be computed, so reading ends there.
    if (block.sampleRate !== listener.sampleRate) break
    listener.listen(block)
    if (listener.samples > audioSecondsMax * listener.sampleRate)
      throw invalidRequest('The audio is longer than two hours')
    if (performance.now() > until)
      throw invalidRequest('The audio takes too long to decode; send a shorter part')
  }
  if (listener === undefined || listener.samples === 0) throw unreadableAudio('holds no sound')
  const measured = listener.finish()
  const { sampleRate, channels, level } = measured
  const duration = measured.samples / sampleRate
  return { format, sampleRate, channels, level, duration, segments: findSegments(measured) }
}
