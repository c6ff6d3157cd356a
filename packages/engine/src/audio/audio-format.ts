/** The containers and streams the engine reads, told by content and never by file name. */
export type AudioFormat = 'wav' | 'mp3' | 'mp4' | 'ogg' | 'opus' | 'flac' | 'webm' | 'aac'

/** Names the format of a file by its first bytes; undefined when it is none of those that are read. */
export function detectAudioFormat(bytes: Uint8Array): AudioFormat | undefined {
  const start = id3Length(bytes)
  const rest = start > 0 && start < bytes.length ? bytes.subarray(start) : bytes
  if (text(rest, 0, 4) === 'RIFF' && text(rest, 8, 4) === 'WAVE') return 'wav'
  if (text(rest, 0, 4) === 'fLaC') return 'flac'
  if (text(rest, 0, 4) === 'OggS') return oggCodec(rest)
  if (text(rest, 4, 4) === 'ftyp') return 'mp4'
  if (rest[0] === 0x1a && rest[1] === 0x45 && rest[2] === 0xdf && rest[3] === 0xa3) return 'webm'
  if (adtsFrameLength(rest, 0) > 0 && followedBy(rest, adtsFrameLength)) return 'aac'
  if (followedBy(rest, mpegFrameLength)) return 'mp3'
  return undefined
}

/** The first Ogg page carries the codec's identification packet (RFC 3533, RFC 7845 section 5.1). */
function oggCodec(bytes: Uint8Array): AudioFormat | undefined {
  const packet = 27 + (bytes[26] ?? 0)
  if (text(bytes, packet, 8) === 'OpusHead') return 'opus'
  if (text(bytes, packet + 1, 6) === 'vorbis') return 'ogg'
  return text(bytes, packet + 1, 4) === 'FLAC' ? 'flac' : undefined
}

/** Bytes of a leading ID3v2 tag, 0 when there is none. */
function id3Length(bytes: Uint8Array): number {
  if (text(bytes, 0, 3) !== 'ID3' || bytes.length < 10) return 0
  let size = 0
  for (let at = 6; at < 10; at++) size = (size << 7) | ((bytes[at] ?? 0) & 0x7f)
  return size + 10 + ((bytes[5] ?? 0) & 0x10 ? 10 : 0)
}

/**
 * True when a frame stands near the start and another follows it at once (or the file ends there):
 * a single sync word turns up by chance in any kind of file.
 */
function followedBy(bytes: Uint8Array, frameLength: typeof mpegFrameLength): boolean {
  // Encoders pad after the tag and streams are cut anywhere, but never by more than a frame.
  const searched = Math.min(bytes.length - 4, 4096)
  for (let at = 0; at <= searched; at++) {
    if (bytes[at] !== 0xff) continue
    const length = frameLength(bytes, at)
    if (length === 0 || at + length > bytes.length) continue
    if (at + length + 4 > bytes.length) return at === 0
    if (frameLength(bytes, at + length) > 0) return true
  }
  return false
}

const bitrates = [
  [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
] as const

/** Bytes of the MPEG audio frame whose header is at `at`, 0 when there is none (ISO/IEC 11172-3, 2.4.2.3). */
function mpegFrameLength(bytes: Uint8Array, at: number): number {
  const [sync = 0, second = 0, third = 0] = bytes.subarray(at, at + 3)
  const version = (second >> 3) & 3
  const layer = 4 - ((second >> 1) & 3)
  if (sync !== 0xff || (second & 0xe0) !== 0xe0 || version === 1 || layer === 4) return 0
  const table = bitrates[version === 3 ? layer - 1 : layer === 1 ? 3 : 4]
  const kilobits = table?.[third >> 4] ?? 0
  const rate = [44_100, 48_000, 32_000][(third >> 2) & 3]
  if (kilobits === 0 || rate === undefined) return 0
  const sampleRate = rate / (version === 3 ? 1 : version === 2 ? 2 : 4)
  const padding = (third >> 1) & 1
  if (layer === 1) return (Math.floor((12_000 * kilobits) / sampleRate) + padding) * 4
  const perFrame = layer === 3 && version !== 3 ? 72_000 : 144_000
  return Math.floor((perFrame * kilobits) / sampleRate) + padding
}

/** Bytes of the ADTS frame whose header is at `at`, 0 when there is none (ISO/IEC 13818-7, 6.2). */
function adtsFrameLength(bytes: Uint8Array, at: number): number {
  const [sync = 0, second = 0, third = 0, fourth = 0, fifth = 0, sixth = 0] = bytes.subarray(
    at,
    at + 6,
  )
  if (sync !== 0xff || (second & 0xf6) !== 0xf0 || ((third >> 2) & 15) > 12) return 0
  const length = ((fourth & 3) << 11) | (fifth << 3) | (sixth >> 5)
  return length >= 7 ? length : 0
}

function text(bytes: Uint8Array, at: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + length))
}
