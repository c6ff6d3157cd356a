import { type Formants, type Frication, type Sound, sounds } from './phonemes.ts'
import { type PlannedSound, type SpeechPlan, speechSampleRate } from './plan.ts'
import type { Voice } from './voices.ts'

/** What a speaking mouth does, and over how many seconds to either side each movement is spread. */
const movements = {
  pitchHz: 0.06,
  first: 0.022,
  second: 0.028,
  third: 0.028,
  // Strengths of the voice, of breath through the whole mouth, and of noise made in it.
  voice: 0.008,
  breath: 0.008,
  frication: 0.004,
  noiseLow: 0,
  noiseLowGain: 0,
  noiseHigh: 0,
  noiseHighGain: 0,
} as const

type Movement = keyof typeof movements
// The keys of a literal table are its names.
const movementNames = Object.keys(movements) as readonly Movement[]

/** One value of each movement per frame of `frameSamples`. */
export type Gestures = Readonly<Record<Movement, Float32Array>> & { readonly frames: number }

export const frameSamples = 96
const framesPerSecond = speechSampleRate / frameSamples

/** Turns planned sounds into movements: each sound sets a goal, and the mouth takes its time to get there. */
export function planGestures(plan: SpeechPlan, voice: Voice): Gestures {
  const frames = Math.ceil(plan.samples / frameSamples)
  const columns = columnsOf(() => new Float32Array(frames))
  for (const [i, planned] of plan.sounds.entries()) {
    const from = Math.round(planned.start * framesPerSecond)
    const to = Math.min(frames, Math.round((planned.start + planned.duration) * framesPerSecond))
    for (let frame = from; frame < to; frame++) {
      const goal = goalOf(plan.sounds, i, (frame - from + 0.5) / (to - from))
      const values = valuesOf(goal, planned, voice)
      for (const name of movementNames) columns[name][frame] = values[name]
    }
  }
  const smoothed = columnsOf((name) => {
    const seconds = movements[name] / Math.max(0.5, plan.speed)
    return seconds === 0
      ? columns[name]
      : smooth(columns[name], Math.max(1, Math.round(seconds * framesPerSecond)))
  })
  return { ...smoothed, frames }
}

function columnsOf(make: (name: Movement) => Float32Array): Record<Movement, Float32Array> {
  // Every movement has its column.
  return Object.fromEntries(movementNames.map((name) => [name, make(name)])) as Record<
    Movement,
    Float32Array
  >
}

function valuesOf(
  { formants, frication, ...goal }: Goal,
  { pitch, strength }: PlannedSound,
  voice: Voice,
): Readonly<Record<Movement, number>> {
  return {
    pitchHz: voice.pitchHz * (1 + (pitch - 1) * voice.liveliness),
    first: formants[0] * voice.formantScale,
    second: formants[1] * voice.formantScale,
    third: formants[2] * voice.formantScale,
    voice: goal.voice * strength,
    breath: goal.breath * strength + goal.voice * voice.breath,
    frication: goal.noise * strength,
    noiseLow: frication.low,
    noiseLowGain: frication.lowGain,
    noiseHigh: frication.high,
    noiseHighGain: frication.highGain,
  }
}

interface Goal {
  readonly formants: Formants
  readonly voice: number
  readonly breath: number
  readonly noise: number
  readonly frication: Frication
}

const noFrication: Frication = { low: 2000, lowGain: 0, high: 6000, highGain: 0 }
const restingMouth: Formants = [480, 1450, 2480]

/** Where the mouth wants to be at one point, 0 to 1, of a sound. */
function goalOf(all: readonly PlannedSound[], index: number, into: number): Goal {
  const sound = soundAt(all, index)
  const next = soundAt(all, index + 1)
  const near = (next?.kind === 'vowel' ? next : soundAt(all, index - 1))?.formants ?? restingMouth
  if (sound === undefined) return { ...silent, formants: near }
  const { kind, formants, voice, frication = noFrication } = sound
  const leaning = blend(formants, near, 0.4)
  switch (kind) {
    case 'vowel': {
      const way = Math.max(0, Math.min(1, (into - 0.3) / 0.6))
      const moved = sound.to === undefined ? formants : blend(formants, sound.to, way)
      return { ...silent, formants: moved, voice }
    }
    case 'glide':
    case 'nasal':
      return { ...silent, formants, voice }
    case 'fricative':
      return { formants: leaning, voice, breath: 0, noise: voice > 0 ? 0.6 : 1, frication }
    case 'breath':
      return { ...silent, formants: near, breath: 0.9 }
    case 'stop':
      return stopGoal(sound, leaning, into, next?.kind === 'vowel' || next?.kind === 'glide')
    case 'affricate':
      return into < 0.4
        ? { ...silent, formants: leaning, voice: voice * 0.4 }
        : { formants: leaning, voice, breath: 0, noise: 0.95, frication }
  }
}

/** A closure, a burst, and after p, t and k a breath before the next vowel. */
function stopGoal(sound: Sound, formants: Formants, into: number, opens: boolean): Goal {
  const { voice, frication = noFrication } = sound
  if (into < 0.58) return { ...silent, formants, voice: voice * 0.5 }
  if (into < 0.78) return { formants, voice: 0, breath: 0, noise: 1, frication }
  const breath = voice === 0 && opens ? 0.5 : 0.1
  return { ...silent, formants, voice, breath }
}

const silent = { voice: 0, breath: 0, noise: 0, frication: noFrication } as const

function soundAt(all: readonly PlannedSound[], index: number): Sound | undefined {
  const phoneme = all[index]?.phoneme
  return phoneme === undefined || phoneme === 'pause' ? undefined : sounds[phoneme]
}

function blend(a: Formants, b: Formants, share: number): Formants {
  const between = (i: 0 | 1 | 2): number => a[i] + (b[i] - a[i]) * share
  return [between(0), between(1), between(2)]
}

/** A moving average over `reach` frames to either side. */
function smooth(values: Float32Array, reach: number): Float32Array {
  const smoothed = new Float32Array(values.length)
  let sum = 0
  let count = 0
  for (let i = -reach; i < values.length; i++) {
    const entering = values[i + reach]
    const leaving = values[i - reach - 1]
    if (entering !== undefined) {
      sum += entering
      count++
    }
    if (leaving !== undefined) {
      sum -= leaving
      count--
    }
    if (i >= 0) smoothed[i] = sum / count
  }
  return smoothed
}
