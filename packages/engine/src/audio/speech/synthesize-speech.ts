import type { Task } from '../../workers/task.ts'
import { wavHeader } from '../wav.ts'
import { planGestures } from './gestures.ts'
import { planSpeech, speechSampleRate } from './plan.ts'
import { synthesize } from './synthesizer.ts'
import { findVoice } from './voices.ts'

export interface SpeechInput {
  readonly text: string
  /** A name of the voice table. */
  readonly voice: string
  /** 0.25 to 4; 1 is ordinary. */
  readonly speed: number
  /** A WAV file, or its samples alone. */
  readonly format: 'wav' | 'pcm'
}

/** The loudest sample, of 1. */
const peak = 0.89

/** Speaks a text: 24 kHz, one channel, signed 16-bit little-endian. Throws unsupported_value for an unknown voice. */
export const synthesizeSpeech: Task<SpeechInput, Uint8Array> = async (input) => {
  const voice = findVoice(input.voice)
  const plan = planSpeech(input.text, input.speed)
  const sound = synthesize(planGestures(plan, voice), plan.samples, voice)
  const header = input.format === 'wav' ? wavHeader(plan.samples, speechSampleRate) : undefined
  const offset = header?.length ?? 0
  const bytes = new Uint8Array(offset + plan.samples * 2)
  if (header !== undefined) bytes.set(header)
  writeSamples(sound, new DataView(bytes.buffer, offset))
  return bytes
}

function writeSamples(sound: Float32Array, view: DataView): void {
  let loudest = 1e-9
  for (const value of sound) loudest = Math.max(loudest, Math.abs(value))
  const gain = (peak * 0x7fff) / loudest
  for (const [i, value] of sound.entries()) view.setInt16(i * 2, Math.round(value * gain), true)
}
