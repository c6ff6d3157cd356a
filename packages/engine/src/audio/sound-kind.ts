import { framesPerSecond, levelsPerSecond, type Measurements, silenceDb } from './listen.ts'
import type { Stretch } from './silence.ts'

export type SoundKind = 'speech' | 'music' | 'noise'

export interface KindStretch extends Stretch {
  readonly kind: SoundKind
}

const stepFrames = framesPerSecond / 4
const windowFrames = framesPerSecond

/** Tells speech, music and noise apart within one stretch of sound, in frames. */
export function findKinds(m: Measurements, within: Stretch): readonly KindStretch[] {
  const kinds: SoundKind[] = []
  for (let at = within.start; at < within.end; at += stepFrames) {
    const middle = at + stepFrames / 2
    // Near an edge the window moves inwards, so that it always holds as much sound as there is.
    const latest = Math.max(within.start, within.end - windowFrames)
    const start = Math.min(latest, Math.max(within.start, Math.round(middle - windowFrames / 2)))
    kinds.push(kindOf(m, { start, end: Math.min(within.end, start + windowFrames) }))
  }
  const calm = kinds.map((_, i) => mostFrequent(kinds.slice(Math.max(0, i - 3), i + 4)))
  return calm.flatMap((kind, i) => {
    if (i > 0 && calm[i - 1] === kind) return []
    const next = calm.findIndex((other, j) => j > i && other !== kind)
    const start = within.start + i * stepFrames
    const end = next < 0 ? within.end : within.start + next * stepFrames
    return [{ kind, start, end }]
  })
}

function mostFrequent(kinds: readonly SoundKind[]): SoundKind {
  const middle = kinds[kinds.length >> 1] ?? 'noise'
  let best = middle
  const count = (kind: SoundKind): number => kinds.filter((other) => other === kind).length
  for (const kind of ['speech', 'music', 'noise'] as const)
    if (count(kind) > count(best)) best = kind
  return best
}

/**
 * Speech changes its loudness and its colour several times a second, and its pitch glides; music holds its pitches and
 * reaches below them; noise repeats nothing and is even.
 */
function kindOf(m: Measurements, window: Stretch): SoundKind {
  const heard = look(m, window)
  if (heard.frames < 0.12 * framesPerSecond) return 'noise'
  const even = heard.flatnessSpread < 0.065 || heard.levelSpread < 3
  if (heard.flatness > 0.45 && heard.voiced < 0.12 && even) return 'noise'
  const speech =
    ramp(heard.levelSpread, 4, 8) +
    ramp(heard.flatnessSpread, 0.07, 0.13) +
    2 * ramp(heard.gliding, 0.08, 0.4) -
    ramp(heard.bass, 0.2, 0.6)
  return speech > 1.8 ? 'speech' : 'music'
}

interface Heard {
  /** Frames that are not silent. */
  readonly frames: number
  /** Shares of those frames. */
  readonly voiced: number
  /** Shares of the loud frames: with a pitch that moves a little, and strongest below 80 Hz. */
  readonly gliding: number
  readonly bass: number
  /** Standard deviation, dB. */
  readonly levelSpread: number
  readonly flatness: number
  readonly flatnessSpread: number
}

function look(m: Measurements, window: Stretch): Heard {
  const perFrame = levelsPerSecond / framesPerSecond
  const levelOf = (frame: number): number =>
    Math.max(m.levels[frame * perFrame] ?? -120, m.levels[frame * perFrame + 1] ?? -120)
  let loudest = -120
  for (let i = window.start; i < window.end; i++) loudest = Math.max(loudest, levelOf(i))
  const above = (level: number): readonly number[] => {
    const frames: number[] = []
    for (let i = window.start; i < window.end; i++) if (levelOf(i) > level) frames.push(i)
    return frames
  }
  const audible = above(Math.max(silenceDb, loudest - 40))
  const loud = above(loudest - 15)
  const share = (frames: readonly number[], holds: (frame: number) => boolean): number =>
    frames.filter(holds).length / Math.max(1, frames.length)
  const flatness = audible.map((i) => m.flatness[i] ?? 0)
  return {
    frames: audible.length,
    voiced: share(audible, (i) => isVoiced(m, i)),
    gliding: share(loud, (i) => isVoiced(m, i) && isVoiced(m, i - 1) && glides(m, i)),
    bass: share(loud, (i) => (m.peakHz[i] ?? 0) < 80),
    levelSpread: spread(audible.map(levelOf)),
    flatness: mean(flatness),
    flatnessSpread: spread(flatness),
  }
}

function glides(m: Measurements, frame: number): boolean {
  const octaves = Math.log2((m.pitchHz[frame] ?? 1) / (m.pitchHz[frame - 1] ?? 1))
  const semitones = Math.abs(12 * octaves)
  return semitones > 0.06 && semitones < 1.5
}

/** A periodic frame in the range of human voices. */
export function isVoiced(m: Measurements, frame: number): boolean {
  const pitch = m.pitchHz[frame] ?? 0
  return (m.periodicity[frame] ?? 0) > 0.6 && pitch > 65 && pitch < 450
}

function ramp(value: number, low: number, high: number): number {
  return Math.max(0, Math.min(1, (value - low) / (high - low)))
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
}

function spread(values: readonly number[]): number {
  const middle = mean(values)
  return Math.sqrt(mean(values.map((value) => (value - middle) ** 2)))
}
