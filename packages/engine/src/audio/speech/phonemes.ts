/** Formant frequencies of an adult man's voice in Hz; a voice scales them. */
export type Formants = readonly [first: number, second: number, third: number]

/** Noise made by a constriction: two resonances in Hz, and their strengths. */
export interface Frication {
  readonly low: number
  readonly lowGain: number
  readonly high: number
  readonly highGain: number
}

export interface Sound {
  readonly kind: 'rest' | 'vowel' | 'voiced' | 'fricative' | 'stop' | 'affricate' | 'breath'
  /** Formants of the mouth's position. */
  readonly formants: Formants
  /** Formants at the end of a diphthong. */
  readonly to?: Formants
  /** In milliseconds, at normal speed. */
  readonly length: number
  /** Strength of the voice, 0 to 1. */
  readonly voice: number
  readonly frication?: Frication
}

const hiss: Frication = { low: 4800, lowGain: 0.5, high: 7200, highGain: 1 }
const hush: Frication = { low: 2600, lowGain: 1, high: 4200, highGain: 0.6 }
const soft: Frication = { low: 1400, lowGain: 0.05, high: 7600, highGain: 0.22 }
const teeth: Frication = { low: 1600, lowGain: 0.05, high: 6400, highGain: 0.2 }
const lips: Frication = { low: 900, lowGain: 0.5, high: 2200, highGain: 0.15 }
const ridge: Frication = { low: 3900, lowGain: 0.7, high: 6200, highGain: 0.6 }
const palate: Frication = { low: 1900, lowGain: 0.9, high: 3900, highGain: 0.25 }

/** The sounds of English in ARPAbet (formants after Peterson and Barney 1952, and Klatt 1980). */
const table = {
  pause: { kind: 'rest', formants: [480, 1450, 2480], length: 0, voice: 0 },
  IY: { kind: 'vowel', formants: [290, 2250, 2960], length: 120, voice: 1 },
  IH: { kind: 'vowel', formants: [400, 1950, 2560], length: 90, voice: 1 },
  EY: { kind: 'vowel', formants: [480, 1900, 2520], to: [330, 2200, 2700], length: 150, voice: 1 },
  EH: { kind: 'vowel', formants: [550, 1780, 2490], length: 105, voice: 1 },
  AE: { kind: 'vowel', formants: [680, 1690, 2430], length: 140, voice: 1 },
  AA: { kind: 'vowel', formants: [720, 1120, 2480], length: 145, voice: 1 },
  AO: { kind: 'vowel', formants: [590, 880, 2540], length: 145, voice: 1 },
  OW: { kind: 'vowel', formants: [540, 1060, 2400], to: [380, 800, 2350], length: 150, voice: 1 },
  UH: { kind: 'vowel', formants: [450, 1080, 2380], length: 90, voice: 1 },
  UW: { kind: 'vowel', formants: [320, 960, 2260], length: 125, voice: 1 },
  AH: { kind: 'vowel', formants: [620, 1230, 2500], length: 95, voice: 1 },
  AX: { kind: 'vowel', formants: [500, 1400, 2450], length: 60, voice: 0.85 },
  IX: { kind: 'vowel', formants: [420, 1700, 2500], length: 60, voice: 0.85 },
  ER: { kind: 'vowel', formants: [470, 1270, 1560], length: 120, voice: 1 },
  AY: { kind: 'vowel', formants: [690, 1200, 2520], to: [380, 2000, 2600], length: 175, voice: 1 },
  AW: { kind: 'vowel', formants: [700, 1250, 2500], to: [420, 920, 2350], length: 180, voice: 1 },
  OY: { kind: 'vowel', formants: [540, 880, 2400], to: [380, 1980, 2560], length: 185, voice: 1 },
  W: { kind: 'voiced', formants: [290, 640, 2150], length: 70, voice: 0.75 },
  Y: { kind: 'voiced', formants: [270, 2150, 2950], length: 65, voice: 0.75 },
  R: { kind: 'voiced', formants: [320, 1080, 1420], length: 70, voice: 0.75 },
  L: { kind: 'voiced', formants: [340, 1050, 2800], length: 65, voice: 0.7 },
  M: { kind: 'voiced', formants: [260, 1050, 2150], length: 70, voice: 0.6 },
  N: { kind: 'voiced', formants: [260, 1550, 2550], length: 65, voice: 0.6 },
  NG: { kind: 'voiced', formants: [260, 1950, 2500], length: 75, voice: 0.6 },
  F: { kind: 'fricative', formants: [340, 1100, 2080], length: 95, voice: 0, frication: soft },
  V: { kind: 'fricative', formants: [260, 1100, 2080], length: 65, voice: 0.5, frication: soft },
  TH: { kind: 'fricative', formants: [320, 1290, 2540], length: 90, voice: 0, frication: teeth },
  DH: { kind: 'fricative', formants: [280, 1290, 2540], length: 50, voice: 0.5, frication: teeth },
  S: { kind: 'fricative', formants: [320, 1500, 2530], length: 100, voice: 0, frication: hiss },
  Z: { kind: 'fricative', formants: [260, 1500, 2530], length: 75, voice: 0.45, frication: hiss },
  SH: { kind: 'fricative', formants: [320, 1800, 2700], length: 105, voice: 0, frication: hush },
  ZH: { kind: 'fricative', formants: [280, 1800, 2700], length: 75, voice: 0.45, frication: hush },
  HH: { kind: 'breath', formants: [500, 1500, 2500], length: 60, voice: 0 },
  P: { kind: 'stop', formants: [350, 900, 2150], length: 95, voice: 0, frication: lips },
  B: { kind: 'stop', formants: [220, 900, 2150], length: 70, voice: 0.3, frication: lips },
  T: { kind: 'stop', formants: [350, 1700, 2600], length: 90, voice: 0, frication: ridge },
  D: { kind: 'stop', formants: [220, 1700, 2600], length: 65, voice: 0.3, frication: ridge },
  K: { kind: 'stop', formants: [350, 1900, 2300], length: 95, voice: 0, frication: palate },
  G: { kind: 'stop', formants: [220, 1900, 2300], length: 70, voice: 0.3, frication: palate },
  CH: { kind: 'affricate', formants: [350, 1800, 2700], length: 125, voice: 0, frication: hush },
  JH: { kind: 'affricate', formants: [240, 1800, 2700], length: 95, voice: 0.3, frication: hush },
} as const satisfies Record<string, Sound>

export type Phoneme = keyof typeof table

export const sounds: Readonly<Record<Phoneme, Sound>> = table

export function isPhoneme(name: string): name is Phoneme {
  return Object.hasOwn(table, name)
}
