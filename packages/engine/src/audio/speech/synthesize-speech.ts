import { wavHeader } from '@sluice/contract'
import type { Task } from '../../workers/task.ts'
import { planSpeech, speechSampleRate } from './plan.ts'
import { synthesize } from './synthesizer.ts'
import { findVoice } from './voices.ts'

export interface SpeechInput {
  readonly text: string
  /** A name from the voice table. */
  readonly voice: string
  /** 0.25 to 4; 1 is normal. */
  readonly speed: number
  /** An MP3 or WAV file, or only the samples. */
  readonly format: 'mp3' | 'wav' | 'pcm'
}

/** The loudest sample, relative to 1. */
const peak = 0.89
/** More than enough for one channel at 24 kHz. */
const mp3Kilobits = 64

/**
 * Speaks a text: 24 kHz, one channel, signed 16-bit little-endian unless it is MP3. MP3s can be joined without changes. Throws
 * unsupported_value for an unknown voice.
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
  // It returns a view of its own memory, which the next call overwrites.
  return Buffer.concat([Buffer.from(encoder.encode([sound])), encoder.finalize()])
}
