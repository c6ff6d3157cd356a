/**
 * How long a recording is, in seconds, by what its file says about itself: WAV, FLAC, Ogg (Opus, Vorbis), MP4 (m4a), WebM and
 * MP3. Undefined for other formats, and where the file does not say.
 */
export function soundSeconds(bytes: Uint8Array): number | undefined {
  try {
    const file = new Bytes(bytes)
    const found = readers.find(([isIts]) => isIts(file))?.[1](file)
    return found !== undefined && Number.isFinite(found) && found > 0 ? found : undefined
  } catch (thrown) {
    // A file that ends before what it announces.
    if (thrown instanceof RangeError) return undefined
    throw thrown
  }
}

type Reader = (file: Bytes) => number | undefined

/** Throws RangeError beyond the end. */
class Bytes {
  readonly view: DataView
  readonly length: number
  readonly #bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.length = bytes.length
  }

  text(at: number, length: number): string {
    return String.fromCharCode(...this.#bytes.subarray(at, at + length))
  }

  byte(at: number): number {
    return this.view.getUint8(at)
  }

  /** The place of a text within a range; -1 if it is not there. */
  find(text: string, from: number, to: number): number {
    const part = Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset, Math.min(to, this.length))
    return part.indexOf(text, from, 'latin1')
  }

  findLast(text: string): number {
    const whole = Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset, this.length)
    return whole.lastIndexOf(text, undefined, 'latin1')
  }
}

const readers: readonly (readonly [(file: Bytes) => boolean, Reader])[] = [
  [(file) => file.text(0, 4) === 'RIFF' && file.text(8, 4) === 'WAVE', wav],
  [(file) => file.text(0, 4) === 'fLaC', flac],
  [(file) => file.text(0, 4) === 'OggS', ogg],
  [(file) => file.text(4, 4) === 'ftyp', mp4],
  [(file) => file.text(0, 4) === '\u001aE\u00df\u00a3', webm],
  [() => true, mp3],
]

/** RIFF chunks; a stream that was written without knowing its length announces none, or more than there is. */
function wav(file: Bytes): number | undefined {
  let bytesPerSecond = 0
  for (let at = 12; at + 8 <= file.length; ) {
    const size = file.view.getUint32(at + 4, true)
    const name = file.text(at, 4)
    if (name === 'fmt ') bytesPerSecond = file.view.getUint32(at + 16, true)
    if (name === 'data') {
      const there = file.length - at - 8
      return (size === 0 ? there : Math.min(size, there)) / bytesPerSecond
    }
    at += 8 + size + (size % 2)
  }
  return undefined
}

/** STREAMINFO: 20 bits of sample rate, 8 of others, 36 of samples. */
function flac({ view }: Bytes): number | undefined {
  const rate = view.getUint32(18) >>> 12
  const samples = (view.getUint8(21) % 16) * 2 ** 32 + view.getUint32(22)
  return samples / rate
}

/** The position of the last page; Opus always counts 48,000 a second, less what is skipped at the start. */
function ogg(file: Bytes): number | undefined {
  const last = file.findLast('OggS')
  const samples = Number(file.view.getBigInt64(last + 6, true))
  const opus = file.find('OpusHead', 0, 512)
  if (opus >= 0) return (samples - file.view.getUint16(opus + 10, true)) / 48_000
  const vorbis = file.find('\u0001vorbis', 0, 512)
  return vorbis < 0 ? undefined : samples / file.view.getUint32(vorbis + 12, true)
}

function mp4(file: Bytes): number | undefined {
  const header = file.find('mvhd', 0, file.length)
  if (header < 0) return undefined
  const at = header + 4
  return file.byte(at) === 1
    ? Number(file.view.getBigUint64(at + 24)) / file.view.getUint32(at + 20)
    : file.view.getUint32(at + 16) / file.view.getUint32(at + 12)
}

/** The head with everything about the whole is within this. */
const webmHeadBytes = 4_096

/** Duration (a float of 4 or 8 bytes) in units of TimestampScale, in nanoseconds. */
function webm(file: Bytes): number | undefined {
  const duration = file.find('D\u0089', 0, webmHeadBytes)
  if (duration < 0) return undefined
  const scale = file.find('*\u00d7\u00b1\u0083', 0, webmHeadBytes)
  const nanoseconds = scale < 0 ? 1_000_000 : file.view.getUint32(scale + 3) % 2 ** 24
  const isDouble = file.byte(duration + 2) === 0x88
  const units = isDouble ? file.view.getFloat64(duration + 3) : file.view.getFloat32(duration + 3)
  return (units * nanoseconds) / 1e9
}

const bitRates = {
  first: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  second: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
} as const
const sampleRates = [44_100, 48_000, 32_000] as const

/** Frames of layer 3, one after the other, whose lengths add up. */
function mp3(file: Bytes): number | undefined {
  let at = file.text(0, 3) === 'ID3' ? afterTag(file) : 0
  // The first frame may hold no sound but a table of contents.
  if (/Xing|Info/.test(file.text(at, 64))) at += frameAt(file, at)?.bytes ?? 0
  let seconds = 0
  while (at + 4 <= file.length) {
    const frame = frameAt(file, at)
    if (frame === undefined) break
    seconds += frame.seconds
    at += frame.bytes
  }
  // What follows the frames is a tag, or they were none.
  return file.length - at < file.length / 2 ? seconds : undefined
}

/** An ID3 tag has a length of four times seven bits. */
function afterTag(file: Bytes): number {
  return [6, 7, 8, 9].reduce((size, at) => size * 128 + (file.byte(at) % 128), 0) + 10
}

function frameAt(
  { view }: Bytes,
  at: number,
): { readonly seconds: number; readonly bytes: number } | undefined {
  const header = view.getUint32(at)
  const version = (header >>> 19) % 4
  const isLayer3 = (header >>> 17) % 4 === 1
  if (header >>> 21 !== 0x7ff || version === 1 || !isLayer3) return undefined
  const isFirst = version === 3
  const kilobits = bitRates[isFirst ? 'first' : 'second'][(header >>> 12) % 16]
  const usual = sampleRates[(header >>> 10) % 4]
  if (!kilobits || usual === undefined) return undefined
  const rate = usual / (isFirst ? 1 : version === 2 ? 2 : 4)
  const samples = isFirst ? 1_152 : 576
  const padding = (header >>> 9) % 2
  const bytes = Math.floor(((samples / 8) * kilobits * 1_000) / rate) + padding
  return { seconds: samples / rate, bytes }
}
