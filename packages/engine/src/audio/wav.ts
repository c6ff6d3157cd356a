/** What a RIFF/WAVE file says about itself (Microsoft "Multiple Channel Audio Data and WAVE Files"). */
export interface WavLayout {
  readonly sampleRate: number
  readonly channels: number
  readonly bits: number
  readonly encoding: 'integer' | 'float' | 'alaw' | 'mulaw'
  readonly dataStart: number
  /** Sample frames (one sample per channel) present in the file. */
  readonly frames: number
}

const encodings: Readonly<Record<number, WavLayout['encoding']>> = {
  1: 'integer',
  3: 'float',
  6: 'alaw',
  7: 'mulaw',
}

/** Whether sound is recorded at such a rate, in Hz; a file may claim anything. */
export function isSampleRate(rate: number): boolean {
  return rate >= 1000 && rate <= 768_000
}

/** Reads the chunks of a WAV file; undefined when it is none, is damaged or is compressed in another way. */
export function parseWav(bytes: Uint8Array): WavLayout | undefined {
  if (bytes.length < 28 || ascii(bytes, 0) !== 'RIFF' || ascii(bytes, 8) !== 'WAVE')
    return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let format: Pick<WavLayout, 'sampleRate' | 'channels' | 'bits' | 'encoding'> | undefined
  for (let at = 12; at + 8 <= bytes.length; ) {
    const name = ascii(bytes, at)
    const size = view.getUint32(at + 4, true)
    const start = at + 8
    if (name === 'fmt ' && start + 16 <= bytes.length) format = parseFormat(view, start, size)
    if (name === 'data') {
      if (format === undefined) return undefined
      // A writer that streams leaves the size at zero or at its maximum; then the file's end decides.
      const unknown = size === 0 || size >= 0xffff_0000
      const length = unknown ? bytes.length - start : Math.min(size, bytes.length - start)
      const frames = Math.floor(length / ((format.bits / 8) * format.channels))
      return { ...format, dataStart: start, frames }
    }
    at = start + size + (size & 1)
  }
  return undefined
}

function parseFormat(
  view: DataView,
  start: number,
  size: number,
): Pick<WavLayout, 'sampleRate' | 'channels' | 'bits' | 'encoding'> | undefined {
  const tag = view.getUint16(start, true)
  // WAVE_FORMAT_EXTENSIBLE names the real format in the first two bytes of its sub-format identifier.
  const extensible = tag === 0xfffe && size >= 26 && start + 26 <= view.byteLength
  const encoding = encodings[extensible ? view.getUint16(start + 24, true) : tag]
  const channels = view.getUint16(start + 2, true)
  const sampleRate = view.getUint32(start + 4, true)
  const bits = view.getUint16(start + 14, true)
  if (encoding === undefined || channels < 1 || channels > 64) return undefined
  if (!isSampleRate(sampleRate)) return undefined
  const allowed = { integer: [8, 16, 24, 32], float: [32, 64], alaw: [8], mulaw: [8] }[encoding]
  if (!allowed.includes(bits)) return undefined
  return { sampleRate, channels, bits, encoding }
}

/** Decodes sample frames `from` to `to` (exclusive) and mixes the channels to one, -1 to 1. */
export function readWav(bytes: Uint8Array, layout: WavLayout, from: number, to: number) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const width = layout.bits / 8
  const sample = sampleReader(view, layout)
  const mono = new Float32Array(to - from)
  let at = layout.dataStart + from * width * layout.channels
  for (let frame = 0; frame < mono.length; frame++) {
    let sum = 0
    for (let channel = 0; channel < layout.channels; channel++, at += width) sum += sample(at)
    mono[frame] = sum / layout.channels
  }
  return mono
}

function sampleReader(view: DataView, layout: WavLayout): (at: number) => number {
  const { encoding, bits } = layout
  if (encoding === 'float')
    return bits === 32 ? (at) => view.getFloat32(at, true) : (at) => view.getFloat64(at, true)
  if (encoding === 'alaw') return (at) => decodeALaw(view.getUint8(at))
  if (encoding === 'mulaw') return (at) => decodeMuLaw(view.getUint8(at))
  if (bits === 8) return (at) => (view.getUint8(at) - 128) / 128
  if (bits === 16) return (at) => view.getInt16(at, true) / 0x8000
  if (bits === 24)
    return (at) => (view.getUint8(at) | (view.getInt16(at + 1, true) << 8)) / 0x80_0000
  return (at) => view.getInt32(at, true) / 0x8000_0000
}

/** ITU-T G.711, A-law. */
function decodeALaw(code: number): number {
  const value = code ^ 0x55
  const exponent = (value >> 4) & 7
  const mantissa = ((value & 15) << 4) + 8
  const magnitude = exponent === 0 ? mantissa : (mantissa + 0x100) << (exponent - 1)
  return (value & 0x80 ? magnitude : -magnitude) / 0x8000
}

/** ITU-T G.711, μ-law. */
function decodeMuLaw(code: number): number {
  const value = ~code & 0xff
  const magnitude = ((((value & 15) << 3) + 0x84) << ((value >> 4) & 7)) - 0x84
  return (value & 0x80 ? -magnitude : magnitude) / 0x8000
}

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

function ascii(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4))
}
