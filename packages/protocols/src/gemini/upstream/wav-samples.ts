import { wavHeader } from '@sluice/contract'

/** The sampling rate of Gemini's speech models, unless their MIME type gives another, in hertz. */
const usualRate = 24_000

/**
 * Turns mono 16-bit samples into a WAV file, both in base64. The rate is in the MIME type, such as
 * `audio/L16;codec=pcm;rate=24000`. A WAV file is returned unchanged.
 */
export function wavOfSamples(base64: string, mimeType: string): string {
  if (mimeType.startsWith('audio/wav')) return base64
  const samples = Buffer.from(base64, 'base64')
  const rate = Number(/rate=(\d+)/.exec(mimeType)?.[1] ?? usualRate)
  return Buffer.concat([wavHeader(samples.length, rate), samples]).toString('base64')
}
