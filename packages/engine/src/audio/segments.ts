import { framesPerSecond, levelsPerSecond, type Measurements } from './listen.ts'
import { findSounds, type Stretch } from './silence.ts'
import { findKinds, isVoiced } from './sound-kind.ts'
import { findTones } from './tones.ts'

/** A stretch of a recording in which one kind of sound is heard. */
export interface SoundSegment {
  readonly kind: 'silence' | 'tone' | 'speech' | 'music' | 'noise'
  /** Seconds from the beginning. */
  readonly start: number
  readonly end: number
  /** Of a tone, at its beginning and at its end. */
  readonly fromHz?: number
  readonly toHz?: number
  /** Share of frames that sound like a voice, 0 to 1. */
  readonly voiced: number
}

type Piece = Pick<SoundSegment, 'kind' | 'start' | 'end' | 'fromHz' | 'toHz'>

/** Less silence than this at an edge, in seconds, is not worth a caption of its own. */
const silenceMin = 0.1
/** A pause in speech or music is part of it up to this length, in seconds. */
const pauseMax = 0.7
/** Segments shorter than this, in seconds, go to the sound they adjoin. */
const pieceMin = 0.2

/** Divides a recording into segments without gaps, from 0 to its end. */
export function findSegments(m: Measurements): readonly SoundSegment[] {
  const duration = m.samples / m.sampleRate
  const sounds = findSounds(m.levels).flatMap((sound) => piecesOf(m, sound, duration))
  const whole = joinPauses(joinMelodies(absorbShort(joinEqual(sounds))))
  const segments: Piece[] = []
  for (const piece of whole) {
    const before = segments.at(-1)?.end ?? 0
    const silent = piece.start - before >= silenceMin
    if (silent) segments.push({ kind: 'silence', start: before, end: piece.start })
    segments.push(silent ? piece : { ...piece, start: before })
  }
  const last = segments.pop() ?? { kind: 'silence', start: 0, end: duration }
  if (duration - last.end < silenceMin) segments.push({ ...last, end: duration })
  else segments.push(last, { kind: 'silence', start: last.end, end: duration })
  return segments.map((piece) => finish(m, piece))
}

/** The tones and other sounds within one stretch between silences, in seconds. */
function piecesOf(m: Measurements, sound: Stretch, duration: number): readonly Piece[] {
  const perFrame = levelsPerSecond / framesPerSecond
  const frames = {
    start: Math.floor(sound.start / perFrame),
    end: Math.min(m.peakHz.length, Math.ceil(sound.end / perFrame)),
  }
  const pieces: Piece[] = []
  let at = frames.start
  const others = (end: number): void => {
    if (end > at) pieces.push(...findKinds(m, { start: Math.round(at), end: Math.round(end) }))
  }
  for (const tone of findTones(m, frames)) {
    others(tone.start)
    pieces.push({ kind: 'tone', ...tone })
    at = tone.end
  }
  others(frames.end)
  // The edges of the sound are known to a hundredth of a second, better than those of the frames.
  const first = sound.start / levelsPerSecond
  const last = Math.min(duration, sound.end / levelsPerSecond)
  const seconds = (frame: number): number =>
    Math.min(last, Math.max(first, frame / framesPerSecond))
  return pieces.map((piece, i) => ({
    ...piece,
    start: i === 0 ? first : seconds(piece.start),
    end: i === pieces.length - 1 ? last : seconds(piece.end),
  }))
}

function joinEqual(pieces: readonly Piece[]): readonly Piece[] {
  const joined: Piece[] = []
  for (const piece of pieces) {
    const before = joined.at(-1)
    if (before !== undefined && adjoin(before, piece) && sameSound(before, piece))
      joined[joined.length - 1] = { ...before, end: piece.end }
    else joined.push(piece)
  }
  return joined
}

function adjoin(a: Piece, b: Piece): boolean {
  return b.start - a.end < 0.02
}

function sameSound(a: Piece, b: Piece): boolean {
  if (a.kind !== b.kind) return false
  return a.kind !== 'tone' || Math.abs((a.toHz ?? 0) / (b.fromHz ?? 1) - 1) < 0.01
}

/** A scrap beside another sound is that sound's edge. */
function absorbShort(pieces: readonly Piece[]): readonly Piece[] {
  const kept: Piece[] = []
  let edge: number | undefined
  for (const [i, piece] of pieces.entries()) {
    const before = kept.at(-1)
    const after = pieces[i + 1]
    const short = piece.kind !== 'tone' && piece.end - piece.start < pieceMin
    if (short && before !== undefined && adjoin(before, piece))
      kept[kept.length - 1] = { ...before, end: piece.end }
    else if (short && after !== undefined && adjoin(piece, after)) edge ??= piece.start
    else {
      kept.push({ ...piece, start: edge ?? piece.start })
      edge = undefined
    }
  }
  return joinEqual(kept)
}

/** Four tones in a row, three of them different, are a melody. */
function joinMelodies(pieces: readonly Piece[]): readonly Piece[] {
  const joined: Piece[] = []
  for (let i = 0; i < pieces.length; ) {
    const run = toneRun(pieces, i)
    const first = run[0]
    const last = run.at(-1)
    if (first !== undefined && last !== undefined && isMelody(run))
      joined.push({ kind: 'music', start: first.start, end: last.end })
    else joined.push(...pieces.slice(i, i + Math.max(1, run.length)))
    i += Math.max(1, run.length)
  }
  return joinEqual(joined)
}

function toneRun(pieces: readonly Piece[], from: number): readonly Piece[] {
  let to = from
  const isNote = (piece: Piece | undefined): piece is Piece =>
    piece?.kind === 'tone' && piece.end - piece.start < 1.5
  while (isNote(pieces[to])) {
    to++
    const before = pieces[to - 1]
    const next = pieces[to]
    if (before === undefined || next === undefined || next.start - before.end > 0.1) break
  }
  return pieces.slice(from, to)
}

function isMelody(run: readonly Piece[]): boolean {
  const semitones = run.map((piece) => Math.round(12 * Math.log2(piece.fromHz ?? 1)))
  return run.length >= 4 && new Set(semitones).size >= 3
}

function joinPauses(pieces: readonly Piece[]): readonly Piece[] {
  const joined: Piece[] = []
  for (const piece of pieces) {
    const before = joined.at(-1)
    const same = before?.kind === piece.kind && (piece.kind === 'speech' || piece.kind === 'music')
    if (before !== undefined && same && piece.start - before.end < pauseMax)
      joined[joined.length - 1] = { ...before, end: piece.end }
    else joined.push(piece)
  }
  return joined
}

function finish(m: Measurements, piece: Piece): SoundSegment {
  const from = Math.round(piece.start * framesPerSecond)
  const to = Math.round(piece.end * framesPerSecond)
  let voiced = 0
  for (let frame = from; frame < to; frame++) if (isVoiced(m, frame)) voiced++
  return {
    ...piece,
    start: milliseconds(piece.start),
    end: milliseconds(piece.end),
    voiced: Math.min(1, voiced / Math.max(1, to - from)),
  }
}

function milliseconds(seconds: number): number {
  return Math.round(seconds * 1000) / 1000
}
