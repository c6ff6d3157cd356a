import { wavHeader } from '@sluice/contract'
import type { Task } from '../../workers/task.ts'
import { planSpeech, speechSampleRate } from './plan.ts'
import { synthesize } from './synthesizer.ts'
import { findVoice } from './voices.ts'

export interface SpeechInput {
  readonly text: string
  /** A name of the voice table. */
  readonly voice: string
  /** 0.25 to 4; 1 is ordinary. */
  readonly speed: number
  /** An MP3 or WAV file, or the samples alone. */
  readonly format: 'mp3' | 'wav' | 'pcm'
}

/** The loudest sample, of 1. */
const peak = 0.89
/** More than enough for one channel of 24 kHz. */
const mp3Kilobits = 64

/**
 * Speaks a text: 24 kHz, one channel, where it is not MP3 signed 16-bit little-endian. MP3s can be joined as they are.
 * Throws unsupported_value for an unknown voice.
 */
export const synthesizeSpeech: Task<SpeechInput, Uint8Array> = async (input) => {
  const voice = findVoice(input.voice)
  const plan = planSpeech(input.text, input.speed)
  const sound = normalise(synthesize(plan, voice))
  if (input.format === 'mp3') return encodeMp3(sound)
  const header = input.format === 'wav' ? wavHeader(plan.samples * 2, speechSampleRate) : undefined
  const offset = header?.length ?? 0
  const bytes = new Uint8Array(offset + plan.samples * 2)
  if (header !== undefined) bytes.set(header)
  const view = new DataView(bytes.buffer, offset)
  for (const [i, value] of sound.entries()) view.setInt16(i * 2, Math.round(value * 0x7fff), true)
  return bytes
}

function normalise(sound: Float32Array): Float32Array {
  let loudest = 1e-9
  for (const value of sound) loudest = Math.max(loudest, Math.abs(value))
  return sound.map((value) => (value / loudest) * peak)
}

async function encodeMp3(sound: Float32Array): Promise<Uint8Array> {
  const { createMp3Encoder } = await import('wasm-media-encoders')
  const encoder = await createMp3Encoder()
  encoder.configure({ sampleRate: speechSampleRate, channels: 1, bitrate: mp3Kilobits })
  // What it returns lies in its own memory, which the next call writes over.
  return Buffer.concat([Buffer.from(encoder.encode([sound])), encoder.finalize()])
}
