import { framesPerSecond, type Measurements } from './listen.ts'
import type { Stretch } from './silence.ts'

/** A steady or gliding tone, in frames. */
export interface Tone extends Stretch {
  readonly fromHz: number
  readonly toHz: number
}

/** The shortest tone that stands alone between silences, and the shortest amid other sound, in frames. */
const aloneMin = 0.08 * framesPerSecond
const amidMin = 0.3 * framesPerSecond

/** Finds the tones within one stretch of sound, given in frames. */
export function findTones(m: Measurements, within: Stretch): readonly Tone[] {
  const tones: Tone[] = []
  for (let start = within.start; start < within.end; ) {
    const end = toneEnd(m, start, within.end)
    const tone = end - start >= aloneMin ? describe(m, { start, end }) : undefined
    if (tone !== undefined && (isMost(tone, within) || end - start >= amidMin)) tones.push(tone)
    start = Math.max(end, start + 1)
  }
  return closeGaps(tones, within)
}

/** Frequency of the tone in a frame, 0 where there is none. */
function toneHz(m: Measurements, frame: number): number {
  const peak = m.peakHz[frame] ?? 0
  if ((m.peakShare[frame] ?? 0) > 0.9) return peak
  // A buzzer has partials above its pitch; a chord has them too, but its strongest is not the lowest common one.
  const pitch = m.pitchHz[frame] ?? 0
  const buzz = (m.periodicity[frame] ?? 0) > 0.93 && Math.abs(peak / pitch - 1) < 0.03
  return buzz && (m.persistence[frame] ?? 0) > 0.85 ? peak : 0
}

function toneEnd(m: Measurements, start: number, limit: number): number {
  let before = toneHz(m, start)
  if (before === 0) return start
  let step = 0
  for (let frame = start + 1; frame < limit; frame++) {
    const hz = toneHz(m, frame)
    if (hz === 0) return frame
    const next = Math.log2(hz / before)
    const glides = frame > start + 1 && Math.abs(next - step) < 0.5 * Math.abs(step) + 0.004
    if (Math.abs(next) > 0.02 && !glides && !(frame === start + 1 && Math.abs(next) < 0.2))
      return frame
    step = next
    before = hz
  }
  return limit
}

function describe(m: Measurements, stretch: Stretch): Tone | undefined {
  const pitches: number[] = []
  for (let frame = stretch.start; frame < stretch.end; frame++) pitches.push(toneHz(m, frame))
  // The outermost windows reach over the edges of the tone.
  const inner = pitches.length > 6 ? pitches.slice(2, -2) : pitches
  const middle = inner.toSorted((a, b) => a - b)[inner.length >> 1] ?? 0
  const steady = inner.every((hz) => Math.abs(hz / middle - 1) < 0.012 || Math.abs(hz - middle) < 4)
  if (steady) return { ...stretch, fromHz: middle, toHz: middle }
  return isGlide(inner)
    ? { ...stretch, fromHz: pitches[0] ?? 0, toHz: pitches.at(-1) ?? 0 }
    : undefined
}

/** A glide goes one way all the time and gets somewhere; a voice wavers. */
function isGlide(pitches: readonly number[]): boolean {
  const first = pitches[0] ?? 1
  const last = pitches.at(-1) ?? 1
  const way = Math.sign(last - first)
  const against = pitches.filter((hz, i) => i > 0 && (hz - (pitches[i - 1] ?? 0)) * way < 0)
  const long = pitches.length >= 0.2 * framesPerSecond
  return long && Math.abs(Math.log2(last / first)) > 0.5 && against.length <= pitches.length * 0.05
}

function isMost(tone: Stretch, within: Stretch): boolean {
  return tone.end - tone.start >= 0.5 * (within.end - within.start)
}

/** Frames across an edge belong to neither side by measurement: they go to the tone before or after. */
function closeGaps(tones: readonly Tone[], within: Stretch): readonly Tone[] {
  const edge = 0.1 * framesPerSecond
  return tones.map((tone, i) => {
    const before = tones[i - 1]
    const after = tones[i + 1]
    const from = before?.end ?? within.start
    const to = after?.start ?? within.end
    const start = tone.start - from <= edge ? halfway(before, from, tone.start) : tone.start
    const end = to - tone.end <= edge ? halfway(after, to, tone.end) : tone.end
    return { ...tone, start, end }
  })
}

function halfway(neighbour: Tone | undefined, theirs: number, ours: number): number {
  return neighbour === undefined ? theirs : (theirs + ours) / 2
}
