import { type Formants, type Frication, type Sound, sounds } from './phonemes.ts'
import { type PlannedSound, type SpeechPlan, speechSampleRate } from './plan.ts'
import type { Voice } from './voices.ts'

/** The positions of a speaking mouth, one value per frame of `frameSamples`. */
export interface Gestures {
  readonly frames: number
  readonly pitchHz: Float32Array
  readonly first: Float32Array
  readonly second: Float32Array
  readonly third: Float32Array
  /** Strengths of the voice, of breath through the whole mouth, and of noise made in it. */
  readonly voice: Float32Array
  readonly breath: Float32Array
  readonly frication: Float32Array
  readonly noiseLow: Float32Array
  readonly noiseLowGain: Float32Array
  readonly noiseHigh: Float32Array
  readonly noiseHighGain: Float32Array
}

export const frameSamples = 96
const framesPerSecond = speechSampleRate / frameSamples

/** Turns planned sounds into movements: each sound sets a goal, and the mouth takes its time to get there. */
export function planGestures(plan: SpeechPlan, voice: Voice): Gestures {
  const frames = Math.ceil(plan.samples / frameSamples)
  const column = (): Float32Array => new Float32Array(frames)
  const g = {
    frames,
    pitchHz: column(),
    first: column(),
    second: column(),
    third: column(),
    voice: column(),
    breath: column(),
    frication: column(),
    noiseLow: column(),
    noiseLowGain: column(),
    noiseHigh: column(),
    noiseHighGain: column(),
  }
  for (const [i, planned] of plan.sounds.entries()) {
    const from = Math.round(planned.start * framesPerSecond)
    const to = Math.min(frames, Math.round((planned.start + planned.duration) * framesPerSecond))
    for (let frame = from; frame < to; frame++) {
      const into = (frame - from + 0.5) / (to - from)
      const goal = goalOf(plan.sounds, i, into)
      g.pitchHz[frame] = voice.pitchHz * (1 + (planned.pitch - 1) * voice.liveliness)
      g.first[frame] = goal.formants[0] * voice.formantScale
      g.second[frame] = goal.formants[1] * voice.formantScale
      g.third[frame] = goal.formants[2] * voice.formantScale
      g.voice[frame] = goal.voice * planned.strength
      g.breath[frame] = goal.breath * planned.strength + goal.voice * voice.breath
      g.frication[frame] = goal.noise * planned.strength
      g.noiseLow[frame] = goal.frication.low
      g.noiseLowGain[frame] = goal.frication.lowGain
      g.noiseHigh[frame] = goal.frication.high
      g.noiseHighGain[frame] = goal.frication.highGain
    }
  }
  const quick = (seconds: number): number =>
    Math.max(1, Math.round((seconds / Math.max(0.5, plan.speed)) * framesPerSecond))
  const { pitchHz, first, second, third, voice: voiced, breath, frication } = g
  return {
    ...g,
    pitchHz: smooth(pitchHz, quick(0.06)),
    first: smooth(first, quick(0.022)),
    second: smooth(second, quick(0.028)),
    third: smooth(third, quick(0.028)),
    voice: smooth(voiced, quick(0.008)),
    breath: smooth(breath, quick(0.008)),
    frication: smooth(frication, quick(0.004)),
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
