import { frameSamples, type Gestures } from './gestures.ts'
import { speechSampleRate } from './plan.ts'
import type { Voice } from './voices.ts'

/**
 * Makes sound of gestures: a pulsing voice and breath go through the resonances of the mouth one after the other, noise
 * through two of its own (a cascade and parallel synthesiser after Klatt, JASA 67, 1980). Not normalised.
 */
export function synthesize(gestures: Gestures, samples: number, voice: Voice): Float32Array {
  const output = new Float32Array(samples)
  const pulses = createPulses()
  const noise = createNoise()
  const mouth = createResonators(5)
  const low = createResonators(1)
  const high = createResonators(1)
  mouth.tune(3, 3500 * voice.formantScale, 220)
  mouth.tune(4, 4400 * voice.formantScale, 300)
  for (let frame = 0; frame < gestures.frames; frame++) {
    const of = (column: Float32Array): number => column[frame] ?? 0
    mouth.tune(0, of(gestures.first), 65)
    mouth.tune(1, of(gestures.second), 95)
    mouth.tune(2, of(gestures.third), 150)
    low.tune(0, of(gestures.noiseLow), 700)
    high.tune(0, of(gestures.noiseHigh), 1400)
    pulses.tune(of(gestures.pitchHz))
    const voiced = of(gestures.voice)
    const breath = of(gestures.breath) * breathLevel
    const frication = of(gestures.frication) * fricationLevel
    const lowGain = of(gestures.noiseLowGain) * frication
    const highGain = of(gestures.noiseHighGain) * frication
    const end = Math.min(samples, (frame + 1) * frameSamples)
    for (let at = frame * frameSamples; at < end; at++) {
      const hiss = noise()
      const sound = mouth.pass(pulses.next() * voiced + hiss * breath)
      output[at] =
        frication < 1e-6 ? sound : sound + low.pass(hiss) * lowGain + high.pass(hiss) * highGain
    }
  }
  return output
}

const breathLevel = 0.08
const fricationLevel = 0.025
const radiation = 0.8

/** Airflow's rate of change through the vocal folds: it rises, then is cut off when they close (KLGLOTT88). */
function createPulses() {
  const openShare = 0.62
  let phase = 0
  let step = 0
  let before = 0
  let wobble = 0
  return {
    tune(pitchHz: number): void {
      // No voice is steadier than a percent or so.
      wobble = (wobble + 0.37) % 1
      step = (pitchHz * (1 + 0.006 * Math.sin(2 * Math.PI * wobble))) / speechSampleRate
    },
    next(): number {
      phase += step
      if (phase >= 1) phase -= 1
      const open = phase / openShare
      const flow = open < 1 ? 2 * open - 3 * open * open : 0
      // Lips radiate high partials better than low ones.
      const radiated = flow - radiation * before
      before = flow
      return radiated
    },
  }
}

/** White noise that is the same every time, -1 to 1. */
function createNoise(): () => number {
  let state = 0x2545f491
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state / 0x8000_0000
  }
}

/** Resonances of two poles each, one after the other. */
function createResonators(count: number) {
  const a = new Float64Array(count).fill(1)
  const b = new Float64Array(count)
  const c = new Float64Array(count)
  const before = new Float64Array(count)
  const beforeThat = new Float64Array(count)
  return {
    tune(index: number, hz: number, bandwidth: number): void {
      const radius = Math.exp((-Math.PI * bandwidth) / speechSampleRate)
      c[index] = -radius * radius
      b[index] = 2 * radius * Math.cos((2 * Math.PI * hz) / speechSampleRate)
      a[index] = 1 - (b[index] ?? 0) - (c[index] ?? 0)
    },
    pass(input: number): number {
      let value = input
      for (let i = 0; i < count; i++) {
        const last = before[i] ?? 0
        value = (a[i] ?? 0) * value + (b[i] ?? 0) * last + (c[i] ?? 0) * (beforeThat[i] ?? 0)
        beforeThat[i] = last
        before[i] = value
      }
      return value
    },
  }
}
