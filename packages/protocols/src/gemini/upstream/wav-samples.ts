import { wavHeader } from '@sluice/contract'

/** What Gemini's speech models send unless their MIME type says otherwise. */
const usualRate = 24_000

/**
 * Mono 16 bit samples as a WAV file, both in base64. The rate is in the MIME type, such as
 * `audio/L16;codec=pcm;rate=24000`. What is a WAV file already stays one.
 */
export function wavOfSamples(base64: string, mimeType: string): string {
  if (mimeType.startsWith('audio/wav')) return base64
  const samples = Buffer.from(base64, 'base64')
  const rate = Number(/rate=(\d+)/.exec(mimeType)?.[1] ?? usualRate)
  return Buffer.concat([wavHeader(samples.length, rate), samples]).toString('base64')
}
