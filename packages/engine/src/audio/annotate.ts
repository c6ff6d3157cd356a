import { invalidRequest } from '@sluice/contract'
import type { Task } from '../workers/task.ts'
import {
  type AudioFormat,
  audioSecondsMax,
  decodeAudio,
  type SoundBlock,
  unreadableAudio,
} from './decode.ts'

/** The level is measured 100 times per second. */
const levelsPerSecond = 100
/** Anything quieter than this is silence, in dBFS. */
export const silenceDb = -60
/** A pause shorter than this between sounds, as in speech and music, is part of them, in hundredths of a second. */
const pauseMin = 0.5 * levelsPerSecond
/** Silence shorter than this at an edge gets no caption of its own, in hundredths of a second. */
const edgeMin = 0.1 * levelsPerSecond

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
 * Decodes an audio file and finds what is heard in it and when. Memory grows by 50 kB per minute of audio. Throws
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
  const { sampleRate, samples, channels } = listener
  const { level, levels } = listener.finish()
  const duration = samples / sampleRate
  return { format, sampleRate, channels, level, duration, segments: findSegments(levels, duration) }
}

/** A part of a recording in which there is sound or none. What sounds is not recognized. */
interface SoundSegment {
  readonly kind: 'silence' | 'sound'
  /** In seconds from the beginning. */
  readonly start: number
  readonly end: number
}

/** Divides a recording into segments without gaps, from 0 to its end. */
function findSegments(levels: readonly number[], duration: number): readonly SoundSegment[] {
  // In hundredths of a second, the end exclusive.
  const sounds: { start: number; end: number }[] = []
  for (const [at, level] of levels.entries()) {
    if (level < silenceDb) continue
    const before = sounds.at(-1)
    if (before !== undefined && at - before.end < pauseMin) before.end = at + 1
    else sounds.push({ start: before === undefined && at < edgeMin ? 0 : at, end: at + 1 })
  }
  const last = sounds.at(-1)
  if (last !== undefined && levels.length - last.end < edgeMin) last.end = levels.length
  const edges = [0, ...sounds.flatMap(({ start, end }) => [start, end]), levels.length]
  // In seconds, to the millisecond.
  const timeOf = (edge: number): number =>
    Number((edge === levels.length ? duration : edge / levelsPerSecond).toFixed(3))
  return edges
    .slice(1)
    .map((edge, i): SoundSegment => {
      const kind = i % 2 === 0 ? 'silence' : 'sound'
      return { kind, start: timeOf(edges[i] ?? 0), end: timeOf(edge) }
    })
    .filter(({ start, end }) => end > start)
}

/** Measures the level of blocks of one sampling rate as they come: 800 bytes per second, whatever the sampling rate. */
function createListener({ sampleRate, channels }: SoundBlock) {
  const levels: number[] = []
  let samples = 0
  let energy = 0
  /** Of the samples since the last level. */
  let count = 0
  let sum = 0
  let squares = 0
  const endLevel = (): void => {
    // A constant offset is not sound, so only the spread around the mean counts.
    levels.push(decibels(squares / count - (sum / count) ** 2))
    energy += squares
    count = sum = squares = 0
  }
  const hear = (value: number): void => {
    sum += value
    squares += value * value
    count++
    samples++
    if (samples * levelsPerSecond >= (levels.length + 1) * sampleRate) endLevel()
  }
  return {
    sampleRate,
    channels,
    get samples() {
      return samples
    },
    listen(block: SoundBlock): void {
      for (const value of block.samples) hear(sane(value))
    },
    /** The level of the whole recording and of each hundredth of a second, in dBFS; at least -120. */
    finish() {
      if (count > 0) endLevel()
      return { level: decibels(energy / samples), levels }
    },
  }
}

function decibels(power: number): number {
  return 10 * Math.log10(Math.max(0, power) + 1e-12)
}

/** Float files may contain any values. */
function sane(value: number): number {
  return Number.isFinite(value) ? Math.max(-16, Math.min(16, value)) : 0
}
