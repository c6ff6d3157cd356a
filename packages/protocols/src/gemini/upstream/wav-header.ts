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
  const header = Buffer.alloc(44)
  header.write('RIFF', 0, 'latin1')
  header.writeUInt32LE(36 + samples.length, 4)
  header.write('WAVEfmt ', 8, 'latin1')
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(rate, 24)
  header.writeUInt32LE(rate * 2, 28)
  header.writeUInt16LE(2, 32)
  header.writeUInt16LE(16, 34)
  header.write('data', 36, 'latin1')
  header.writeUInt32LE(samples.length, 40)
  return Buffer.concat([header, samples]).toString('base64')
}
