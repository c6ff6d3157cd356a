import {
  levelsPerSecond,
  type Measurements,
  silenceDb,
  type Wave,
  wavesPerSecond,
} from './listen.ts'

/** A stretch of a recording in which one thing is heard. What a sound is of, nobody here knows. */
export interface SoundSegment {
  readonly kind: 'silence' | 'tone' | 'sound'
  /** Seconds from the beginning. */
  readonly start: number
  readonly end: number
  /** Of a tone. */
  readonly hz?: number
}

/** A gap shorter than this, in hundredths of a second, is part of the sound around it. */
const gapMin = 0.2 * levelsPerSecond
/** Less silence than this at an edge, in seconds, is not worth a caption of its own. */
const silenceMin = 0.1
/** A pause between sounds, as in speech and music, is part of them up to this length, in seconds. */
const pauseMax = 0.7
/** A tone's periods are no more unequal than this, and its pitch wanders no further. */
const unevennessMax = 0.15
const wanderingMax = 0.03

/** What captioners write in brackets, such as `[tone 440 Hz]`; in English, whatever is spoken. */
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
 * Where there is sound, in hundredths of a second. In a noisy recording what lies near its floor is silence too:
 * a pause in speech is one although the room hums on.
 */
function findSounds(levels: readonly number[]): readonly Stretch[] {
  const threshold = soundThreshold(levels)
  const loud = levels.flatMap((level, i) => (level >= threshold ? [{ start: i, end: i + 1 }] : []))
  return merged(loud, (before, next) => next.start - before.end < gapMin)
}

/** Makes one of neighbours that belong together. */
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
  // Without a wide gap between the quiet and the loud parts there is no floor, only an even sound.
  return Math.max(silenceDb, Math.min(floor + 8, loud - 28))
}

function describe(m: Measurements, { start, end }: Stretch): SoundSegment {
  const duration = m.samples / m.sampleRate
  const times = { start: start / levelsPerSecond, end: Math.min(duration, end / levelsPerSecond) }
  const perWave = levelsPerSecond / wavesPerSecond
  // Those that lie wholly within the sound and not at its edges, or the one in its middle.
  const inner = m.waves.slice(Math.ceil(start / perWave) + 1, Math.floor(end / perWave) - 1)
  const middle = m.waves[Math.floor((start + end) / 2 / perWave)]
  const hz = toneOf(inner.length > 0 ? inner : middle === undefined ? [] : [middle])
  return hz === undefined ? { kind: 'sound', ...times } : { kind: 'tone', hz, ...times }
}

/** The frequency of waves that are all alike and even; undefined where they are not. */
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
