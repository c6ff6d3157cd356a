import { type Frication, type Sound, sounds } from './phonemes.ts'
import { type PlannedSound, type SpeechPlan, speechSampleRate } from './plan.ts'
import type { Voice } from './voices.ts'

const frameSamples = 96
const breathLevel = 0.08
const noiseLevel = 0.025
/** Bandwidths of the mouth's resonances in Hz. */
const bandwidths = [65, 95, 150, 220, 300]
const noNoise: Frication = { low: 2000, lowGain: 0, high: 6000, highGain: 0 }

/** The state of a mouth: pitch and three formants in Hz, and the strengths of voice, breath and noise made in the mouth. */
type Gesture = readonly number[]
/** How far each of them moves towards its goal in one frame, as a share of the distance. */
const paces: Gesture = [0.07, 0.17, 0.14, 0.14, 0.4, 0.4, 0.7]

/** A stage of a sound, up to a share of its length: strengths of voice (relative to its own), breath and noise. */
type Stage = readonly [until: number, voice: number, breath: number, noise: number]
const silence: Stage = [1, 0, 0, 0]
const stages: Readonly<Record<Sound['kind'], readonly Stage[]>> = {
  rest: [silence],
  vowel: [[1, 1, 0, 0]],
  voiced: [[1, 1, 0, 0]],
  fricative: [[1, 1, 0, 1]],
  breath: [[1, 0, 0.9, 0]],
  stop: [
    [0.58, 0.5, 0, 0],
    [0.78, 0, 0, 1],
    [1, 1, 0.4, 0],
  ],
  affricate: [
    [0.4, 0.4, 0, 0],
    [1, 1, 0, 1],
  ],
}

/**
 * Turns a plan into sound. A pulsing voice and breath pass through the resonances of the mouth in sequence, noise through two
 * of its own (a cascade and parallel synthesiser after Klatt, JASA 67, 1980). Not normalised.
 */
export function synthesize(plan: SpeechPlan, voice: Voice): Float32Array {
  const output = new Float32Array(plan.samples)
  const pulses = createPulses()
  const noise = createNoise()
  const [low, high] = [new Resonance(700), new Resonance(1400)]
  const mouth = bandwidths.map((bandwidth) => new Resonance(bandwidth))
  let now: Gesture | undefined
  let at = 0
  for (const planned of plan.sounds) {
    const { frication = noNoise } = sounds[planned.phoneme]
    low.tune(frication.low)
    high.tune(frication.high)
    const start = planned.start * speechSampleRate
    const length = planned.duration * speechSampleRate
    for (; at < Math.min(plan.samples, start + length); at += frameSamples) {
      const goal = goalOf(planned, (at - start) / length, voice)
      now = (now ?? goal).map(
        (was, i) => was + ((goal[i] ?? 0) - was) * Math.min(1, (paces[i] ?? 1) * plan.speed),
      )
      const [pitchHz = 0, first = 0, second = 0, third = 0, voiced = 0, breath = 0, hiss = 0] = now
      const formants = [first, second, third, 3500 * voice.formantScale, 4400 * voice.formantScale]
      for (const [i, hz] of formants.entries()) mouth[i]?.tune(hz)
      for (let i = at; i < Math.min(plan.samples, at + frameSamples); i++) {
        const white = noise()
        let sound = pulses(pitchHz) * voiced + white * breath * breathLevel
        for (const one of mouth) sound = one.pass(sound)
        if (hiss > 1e-3) {
          const made = low.pass(white) * frication.lowGain + high.pass(white) * frication.highGain
          sound += made * hiss * noiseLevel
        }
        output[i] = sound
      }
    }
  }
  return output
}

/** The goal of the mouth at one point, 0 to 1, of a sound. */
function goalOf({ phoneme, pitch, strength }: PlannedSound, into: number, voice: Voice): Gesture {
  const { kind, formants, to = formants, voice: own } = sounds[phoneme]
  const [, voiced, breath, noise] = stages[kind].find(([until]) => into < until) ?? silence
  const way = Math.max(0, Math.min(1, (into - 0.3) / 0.6))
  return [
    voice.pitchHz * (1 + (pitch - 1) * voice.liveliness),
    ...formants.map((hz, i) => (hz + ((to[i] ?? hz) - hz) * way) * voice.formantScale),
    voiced * own * strength,
    (breath * (1 - own) + voiced * own * voice.breath) * strength,
    noise * (own > 0 ? 0.6 : 1) * strength,
  ]
}

/** The rate of change of the airflow through the vocal folds: it rises and is cut off when they close (KLGLOTT88). */
function createPulses() {
  const openShare = 0.62
  const radiation = 0.8
  let phase = 0
  let before = 0
  return (pitchHz: number): number => {
    phase = (phase + pitchHz / speechSampleRate) % 1
    const open = phase / openShare
    const flow = open < 1 ? 2 * open - 3 * open * open : 0
    // Lips radiate high frequencies better than low ones.
    const radiated = flow - radiation * before
    before = flow
    return radiated
  }
}

/** White noise from -1 to 1 that is the same every time. */
function createNoise(): () => number {
  let state = 0x2545f491
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state / 0x8000_0000
  }
}

/** A resonance with two poles and a bandwidth in Hz. */
class Resonance {
  readonly #radius: number
  #a = 1
  #b = 0
  #last = 0
  #beforeLast = 0

  constructor(bandwidth: number) {
    this.#radius = Math.exp((-Math.PI * bandwidth) / speechSampleRate)
  }

  tune(hz: number): void {
    this.#b = 2 * this.#radius * Math.cos((2 * Math.PI * hz) / speechSampleRate)
    this.#a = 1 - this.#b + this.#radius ** 2
  }

  pass(input: number): number {
    const value = this.#a * input + this.#b * this.#last - this.#radius ** 2 * this.#beforeLast
    this.#beforeLast = this.#last
    this.#last = value
    return value
  }
}
