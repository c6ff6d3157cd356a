import type { SoundSegment } from './segments.ts'

/** What captioners write in brackets, per language (ISO 639-1). */
interface CaptionWords {
  readonly silence: string
  readonly speech: string
  readonly music: string
  readonly noise: string
  readonly tone: (hz: number) => string
  readonly glide: (fromHz: number, toHz: number) => string
}

const english: CaptionWords = {
  silence: 'silence',
  speech: 'speech',
  music: 'music',
  noise: 'noise',
  tone: (hz) => `tone ${hz} Hz`,
  glide: (from, to) => `tone ${to > from ? 'rising' : 'falling'} from ${from} Hz to ${to} Hz`,
}

const captionWords: Readonly<Record<string, CaptionWords>> = {
  en: english,
  de: {
    silence: 'Stille',
    speech: 'Sprache',
    music: 'Musik',
    noise: 'Rauschen',
    tone: (hz) => `Ton ${hz} Hz`,
    glide: (from, to) => `Ton von ${from} Hz bis ${to} Hz`,
  },
  es: {
    silence: 'silencio',
    speech: 'voz',
    music: 'música',
    noise: 'ruido',
    tone: (hz) => `tono ${hz} Hz`,
    glide: (from, to) => `tono de ${from} Hz a ${to} Hz`,
  },
  fr: {
    silence: 'silence',
    speech: 'voix',
    music: 'musique',
    noise: 'bruit',
    tone: (hz) => `son ${hz} Hz`,
    glide: (from, to) => `son de ${from} Hz à ${to} Hz`,
  },
  it: {
    silence: 'silenzio',
    speech: 'voce',
    music: 'musica',
    noise: 'rumore',
    tone: (hz) => `tono ${hz} Hz`,
    glide: (from, to) => `tono da ${from} Hz a ${to} Hz`,
  },
  nl: {
    silence: 'stilte',
    speech: 'spraak',
    music: 'muziek',
    noise: 'ruis',
    tone: (hz) => `toon ${hz} Hz`,
    glide: (from, to) => `toon van ${from} Hz tot ${to} Hz`,
  },
  pt: {
    silence: 'silêncio',
    speech: 'voz',
    music: 'música',
    noise: 'ruído',
    tone: (hz) => `tom ${hz} Hz`,
    glide: (from, to) => `tom de ${from} Hz a ${to} Hz`,
  },
}

/** The caption of a segment in a language, such as `[tone 440 Hz]`; English where the language has no words here. */
export function captionOf(segment: SoundSegment, language = 'en'): string {
  const words = (Object.hasOwn(captionWords, language) && captionWords[language]) || english
  if (segment.kind !== 'tone') return `[${words[segment.kind]}]`
  const from = Math.round(segment.fromHz ?? 0)
  const to = Math.round(segment.toHz ?? 0)
  return Math.abs(from / to - 1) < 0.05 ? `[${words.tone(to)}]` : `[${words.glide(from, to)}]`
}
