import {
  levelsPerSecond,
  type Measurements,
  silenceDb,
  type Wave,
  wavesPerSecond,
} from './listen.ts'

/** A part of a recording in which one kind of sound is heard. The source of a sound is not recognised. */
export interface SoundSegment {
  readonly kind: 'silence' | 'tone' | 'sound'
  /** In seconds from the beginning. */
  readonly start: number
  readonly end: number
  /** Only for a tone. */
  readonly hz?: number
}

/** A gap shorter than this, in hundredths of a second, is part of the sound around it. */
const gapMin = 0.2 * levelsPerSecond
/** Silence shorter than this at an edge, in seconds, gets no caption of its own. */
const silenceMin = 0.1
/** A pause of up to this length between sounds, as in speech and music, is part of them, in seconds. */
const pauseMax = 0.7
/** Maximum variation of a tone's periods and of its pitch. */
const unevennessMax = 0.15
const wanderingMax = 0.03

/** The caption in brackets, such as `[tone 440 Hz]`. It is in English, whatever language is spoken. */
export function captionOf({ kind, hz = 0 }: SoundSegment): string {
  return kind === 'tone' ? `[tone ${Math.round(hz)} Hz]` : `[${kind}]`
}

/** Divides a recording into segments without gaps, from 0 to its end. */
export function findSegments(m: Measurements): readonly SoundSegment[] {
  const duration = m.samples / m.sampleRate
  const sounds = merged(
    findSounds(m.levels).map((sound) => describe(m, sound)),
    (before, next) =>
      before.kind === 'sound' && next.kind === 'sound' && next.start - before.end < pauseMax,
  )
  const segments: SoundSegment[] = []
  for (const sound of sounds) {
    const before = segments.at(-1)?.end ?? 0
    const silent = sound.start - before >= silenceMin
    if (silent) segments.push({ kind: 'silence', start: before, end: sound.start })
    segments.push(silent ? sound : { ...sound, start: before })
  }
  const last = segments.pop() ?? { kind: 'silence', start: 0, end: duration }
  if (duration - last.end < silenceMin) segments.push({ ...last, end: duration })
  else segments.push(last, { kind: 'silence', start: last.end, end: duration })
  return segments.map((segment) => ({
    ...segment,
    start: milliseconds(segment.start),
    end: milliseconds(segment.end),
  }))
}

interface Stretch {
  readonly start: number
  /** Exclusive. */
  readonly end: number
}

/**
 * Where there is sound, in hundredths of a second. In a noisy recording, levels near its noise floor count as silence: a pause
 * in speech is silence even if the room hums.
 */
function findSounds(levels: readonly number[]): readonly Stretch[] {
  const threshold = soundThreshold(levels)
  const loud = levels.flatMap((level, i) => (level >= threshold ? [{ start: i, end: i + 1 }] : []))
  return merged(loud, (before, next) => next.start - before.end < gapMin)
}

/** Merges neighbours that belong together. */
function merged<Part extends Stretch>(
  parts: readonly Part[],
  areOne: (before: Part, next: Part) => boolean,
): readonly Part[] {
  const all: Part[] = []
  for (const part of parts) {
    const before = all.at(-1)
    if (before !== undefined && areOne(before, part))
      all.splice(-1, 1, { ...before, end: part.end })
    else all.push(part)
  }
  return all
}

function soundThreshold(levels: readonly number[]): number {
  const sorted = levels.toSorted((a, b) => a - b)
  const quantile = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? -120
  const floor = quantile(0.1)
  const loud = quantile(0.95)
  // Without a wide gap between the quiet and the loud parts there is no noise floor, only an even sound.
  return Math.max(silenceDb, Math.min(floor + 8, loud - 28))
}

function describe(m: Measurements, { start, end }: Stretch): SoundSegment {
  const duration = m.samples / m.sampleRate
  const times = { start: start / levelsPerSecond, end: Math.min(duration, end / levelsPerSecond) }
  const perWave = levelsPerSecond / wavesPerSecond
  // The waves that lie completely within the sound, without its edges, or the one in its middle.
  const inner = m.waves.slice(Math.ceil(start / perWave) + 1, Math.floor(end / perWave) - 1)
  const middle = m.waves[Math.floor((start + end) / 2 / perWave)]
  const hz = toneOf(inner.length > 0 ? inner : middle === undefined ? [] : [middle])
  return hz === undefined ? { kind: 'sound', ...times } : { kind: 'tone', hz, ...times }
}

/** The frequency of waves that are regular and alike; undefined if they are not. */
function toneOf(waves: readonly Wave[]): number | undefined {
  const seconds = waves.reduce((sum, wave) => sum + wave.seconds, 0)
  const hz = waves.reduce((sum, wave) => sum + wave.periods, 0) / seconds
  const isTone = waves.every(
    (wave) =>
      wave.periods > 0 &&
      wave.unevenness < unevennessMax &&
      Math.abs(wave.periods / wave.seconds / hz - 1) < wanderingMax,
  )
  return isTone && waves.length > 0 ? hz : undefined
}

function milliseconds(seconds: number): number {
  return Math.round(seconds * 1000) / 1000
}
