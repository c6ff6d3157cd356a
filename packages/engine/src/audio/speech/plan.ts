import { type Phoneme, sounds } from './phonemes.ts'
import { pronounce } from './pronounce.ts'
import { type PauseMark, type SpokenItem, spokenItems } from './spoken-text.ts'

export const speechSampleRate = 24_000

/** One sound, or silence, and how to speak it. Times are in seconds. */
export interface PlannedSound {
  readonly phoneme: Phoneme
  readonly start: number
  readonly duration: number
  /** Pitch relative to the middle of the voice. */
  readonly pitch: number
  /** Loudness; 1 is that of a stressed vowel. */
  readonly strength: number
}

export interface SpeechPlan {
  readonly sounds: readonly PlannedSound[]
  readonly samples: number
  /** 1 is normal. */
  readonly speed: number
}

const pauseSeconds: Readonly<Record<PauseMark, number>> = {
  ',': 0.19,
  ';': 0.32,
  '.': 0.42,
  '?': 0.42,
  '!': 0.42,
}
const edgeSeconds = 0.06
/** Factor by which the last sounds before a pause are lengthened. */
const finalStretch = 1.35
/** Decides which sounds make up a text, how long each one lasts and how the pitch changes. Every text has a plan. */
export function planSpeech(text: string, speed: number): SpeechPlan {
  const planned: PlannedSound[] = []
  let at = 0
  const rest = (seconds: number): void => {
    const duration = seconds / speed
    planned.push({ phoneme: 'pause', start: at, duration, pitch: 1, strength: 0 })
    at += duration
  }
  rest(edgeSeconds)
  for (const phrase of phrasesOf(spokenItems(text))) {
    const said = phrase.words.flatMap(stressed)
    const whole = said.reduce((sum, sound) => sum + sound.seconds, 0)
    let into = 0
    for (const [i, sound] of said.entries()) {
      const last = said.length - i <= 3
      const seconds = sound.seconds * (last ? finalStretch : 1)
      const pitch = melody(into / whole, phrase.mark, sound.accent)
      const duration = seconds / speed
      planned.push({ phoneme: sound.phoneme, start: at, duration, pitch, strength: sound.strength })
      at += duration
      into += sound.seconds
    }
    rest(pauseSeconds[phrase.mark])
  }
  rest(edgeSeconds)
  return { sounds: planned, samples: Math.round(at * speechSampleRate), speed }
}

/** Maximum words in one breath. */
const phraseWordsMax = 18

/** The words up to each pause, with the mark of the pause. */
function phrasesOf(items: readonly SpokenItem[]) {
  const phrases: { readonly words: readonly string[]; readonly mark: PauseMark }[] = []
  let words: string[] = []
  for (const item of [...items, { kind: 'pause', mark: '.' } as const]) {
    if (item.kind === 'word') words.push(item.word)
    if (words.length === 0 || (item.kind === 'word' && words.length < phraseWordsMax)) continue
    phrases.push({ words, mark: item.kind === 'word' ? ',' : item.mark })
    words = []
  }
  return phrases
}

interface SaidSound {
  readonly phoneme: Phoneme
  readonly seconds: number
  readonly accent: boolean
  readonly strength: number
}

/** The sounds of a word. Its first full vowel is stressed. */
function stressed(word: string): readonly SaidSound[] {
  const phonemes = pronounce(word)
  const full = phonemes.findIndex((phoneme) => isVowel(phoneme) && !isWeak(phoneme))
  return phonemes.map((phoneme, i) => {
    const accent = i === full
    const length = isVowel(phoneme) && !accent ? 0.85 : 1
    const seconds = (sounds[phoneme].length / 1000) * length
    return { phoneme, accent, seconds, strength: accent ? 1 : 0.85 }
  })
}

function isVowel(phoneme: Phoneme): boolean {
  return sounds[phoneme].kind === 'vowel'
}

function isWeak(phoneme: Phoneme): boolean {
  return phoneme === 'AX' || phoneme === 'IX'
}

/** Change of the pitch at the end of a phrase: for a continuation, a statement or a question. */
const endings: Readonly<Record<PauseMark, number>> = {
  ',': 0.14,
  ';': -0.12,
  '.': -0.12,
  '?': 0.45,
  '!': -0.1,
}

/** The pitch falls through a phrase until its last quarter. */
function melody(into: number, mark: PauseMark, accent: boolean): number {
  return 1.1 - 0.2 * into + (accent ? 0.1 : 0) + endings[mark] * Math.max(0, into * 4 - 3)
}
