import type { SoundSegment, Utterance } from './segments.ts'

/** Somebody whose voice is known beforehand. */
export interface KnownSpeaker {
  readonly name: string
  readonly voiceHz: number
}

export interface SpokenStretch {
  readonly start: number
  readonly end: number
  /** A known speaker's name, or A, B, … in the order in which they are first heard. */
  readonly speaker: string
}

/** Two stretches of speech this near in pitch, in octaves, are taken for one voice. */
const sameVoiceOctaves = 0.3

/** Tells speakers apart by the pitch of their voices; neighbouring stretches of one speaker are joined. */
export function findSpeakers(
  segments: readonly SoundSegment[],
  known: readonly KnownSpeaker[] = [],
): readonly SpokenStretch[] {
  const voices = known.map((speaker) => ({ ...speaker, heard: 1 }))
  const spoken: SpokenStretch[] = []
  for (const utterance of segments.flatMap((segment) => segment.utterances ?? [])) {
    const speaker = nameOf(utterance, voices, known.length)
    const before = spoken.at(-1)
    if (before?.speaker === speaker && utterance.start - before.end < 1)
      spoken[spoken.length - 1] = { ...before, end: utterance.end }
    else spoken.push({ start: utterance.start, end: utterance.end, speaker })
  }
  return spoken
}

interface Voice {
  readonly name: string
  voiceHz: number
  heard: number
}

function nameOf({ voiceHz }: Utterance, voices: Voice[], known: number): string {
  // Whispered speech has no pitch; it goes to whoever spoke first.
  const distance = (voice: Voice): number =>
    voiceHz === 0 ? 0 : Math.abs(Math.log2(voiceHz / voice.voiceHz))
  const nearest = voices.toSorted((a, b) => distance(a) - distance(b))[0]
  if (nearest !== undefined && distance(nearest) < sameVoiceOctaves) {
    if (voiceHz > 0) {
      nearest.voiceHz = (nearest.voiceHz * nearest.heard + voiceHz) / (nearest.heard + 1)
      nearest.heard++
    }
    return nearest.name
  }
  const name = letters(voices.length - known)
  voices.push({ name, voiceHz: voiceHz || 150, heard: 1 })
  return name
}

function letters(index: number): string {
  const last = String.fromCharCode(65 + (index % 26))
  return index < 26 ? last : letters(Math.floor(index / 26) - 1) + last
}
