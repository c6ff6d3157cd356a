/** The 44-byte header of a WAV file with one channel of signed 16-bit samples. */
export function wavHeader(sampleCount: number, sampleRate: number): Uint8Array {
  const header = new Uint8Array(44)
  const view = new DataView(header.buffer)
  const dataBytes = sampleCount * 2
  header.set(new TextEncoder().encode('RIFF'), 0)
  view.setUint32(4, 36 + dataBytes, true)
  header.set(new TextEncoder().encode('WAVEfmt '), 8)
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, 1, true)
  view.setUint32(24, sampleRate, true)
  view.setUint32(28, sampleRate * 2, true)
  view.setUint16(32, 2, true)
  view.setUint16(34, 16, true)
  header.set(new TextEncoder().encode('data'), 36)
  view.setUint32(40, dataBytes, true)
  return header
}
