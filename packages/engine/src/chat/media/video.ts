import { invalidRequest } from '@sluice/contract'
import type { Medium } from '../ask/conversation.ts'

interface VideoFacts {
  readonly container: string
  readonly seconds?: number
  readonly width?: number
  readonly height?: number
}

/** Tokens of a film: what a picture of low detail costs, for each of its seconds. */
const tokensPerSecond = 85
const tokensMax = 20_000

/** Measures a film by its container (ISO base media, Matroska, AVI): duration and picture size. */
export function describeVideo(bytes: Uint8Array, param: string): Medium {
  const facts = readFacts(bytes)
  if (facts === undefined)
    throw invalidRequest(
      'The video is in no known container; mp4, mov, webm, mkv and avi are understood',
      param,
    )
  const { container, seconds, width, height } = facts
  const length =
    seconds === undefined ? '' : ` with a duration of ${Number(seconds.toFixed(2))} seconds`
  const size =
    width === undefined || height === undefined
      ? ''
      : ` Its picture is ${width} pixels wide and ${height} pixels high.`
  const tokens = Math.min(tokensMax, Math.max(1, Math.ceil(seconds ?? 1)) * tokensPerSecond)
  return {
    kind: 'video',
    description: `This is a ${container} video of ${bytes.length} bytes${length}.${size}`,
    imageTokens: tokens,
    audioTokens: 0,
  }
}

function readFacts(bytes: Uint8Array): VideoFacts | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (name(bytes, 4) === 'ftyp') return isoFacts(bytes, view)
  if (bytes.length > 4 && view.getUint32(0) === 0x1a45dfa3) return matroskaFacts(bytes, view)
  if (name(bytes, 0) === 'RIFF' && name(bytes, 8) === 'AVI ') return aviFacts(bytes, view)
  return undefined
}

function name(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4))
}

const containers: ReadonlySet<string> = new Set(['moov', 'trak', 'mdia'])
const boxesMax = 2000

/** Walks the boxes that lead to the movie header and the track headers (ISO/IEC 14496-12, 8.2.2 and 8.3.2). */
function isoFacts(bytes: Uint8Array, view: DataView): VideoFacts {
  let facts: VideoFacts = { container: name(bytes, 8) === 'qt  ' ? 'QuickTime' : 'MP4' }
  let boxes = 0
  const walk = (from: number, to: number): void => {
    for (let at = from; at + 8 <= to && boxes < boxesMax; boxes++) {
      const short = view.getUint32(at)
      const long = short === 1 && at + 16 <= to
      const size = short === 0 ? to - at : long ? Number(view.getBigUint64(at + 8)) : short
      const kind = name(bytes, at + 4)
      const end = Math.min(to, at + size)
      const body = at + (long ? 16 : 8)
      if (size < 8) return
      if (containers.has(kind)) walk(body, end)
      else facts = { ...facts, ...headerFacts(kind, view, body, end) }
      at = end
    }
  }
  walk(0, bytes.length)
  return facts
}

function headerFacts(kind: string, view: DataView, body: number, end: number): Partial<VideoFacts> {
  if (kind === 'mvhd' && body + 32 <= end) {
    const wide = view.getUint8(body) === 1
    const scale = view.getUint32(body + (wide ? 20 : 12))
    const duration = wide ? Number(view.getBigUint64(body + 24)) : view.getUint32(body + 16)
    return scale > 0 ? { seconds: duration / scale } : {}
  }
  if (kind !== 'tkhd' || end - body < 84) return {}
  const width = view.getUint32(end - 8) / 65_536
  const height = view.getUint32(end - 4) / 65_536
  return width > 0 && height > 0 ? { width: Math.round(width), height: Math.round(height) } : {}
}

const headerBytesMax = 65_536

/** Reads the few elements that are wanted where they are found near the beginning (RFC 9559). */
function matroskaFacts(bytes: Uint8Array, view: DataView): VideoFacts {
  const head = bytes.subarray(0, headerBytesMax)
  const text = Buffer.from(head).toString('latin1')
  const container = text.includes('webm') ? 'WebM' : 'Matroska'
  const scale = unsigned(view, text, '\x2a\xd7\xb1') ?? 1_000_000
  const duration = float(view, text, '\x44\x89')
  const width = unsigned(view, text, '\xb0')
  const height = unsigned(view, text, '\xba')
  return {
    container,
    ...(duration === undefined ? {} : { seconds: (duration * scale) / 1e9 }),
    ...(width === undefined || height === undefined ? {} : { width, height }),
  }
}

function unsigned(view: DataView, text: string, id: string): number | undefined {
  for (let at = text.indexOf(id); at >= 0; at = text.indexOf(id, at + 1)) {
    const size = text.charCodeAt(at + id.length) - 0x80
    const from = at + id.length + 1
    if (size < 1 || size > 4 || from + size > view.byteLength) continue
    let value = 0
    for (let index = 0; index < size; index++) value = value * 256 + view.getUint8(from + index)
    if (value >= 16 && value < 2 ** 31) return value
  }
  return undefined
}

function float(view: DataView, text: string, id: string): number | undefined {
  const at = text.indexOf(id)
  const size = at < 0 ? 0 : text.charCodeAt(at + id.length) - 0x80
  const from = at + id.length + 1
  if ((size !== 4 && size !== 8) || from + size > view.byteLength) return undefined
  const value = size === 4 ? view.getFloat32(from) : view.getFloat64(from)
  return Number.isFinite(value) && value >= 0 ? value : undefined
}

/** The main AVI header: microseconds per frame, frames, width, height. */
function aviFacts(bytes: Uint8Array, view: DataView): VideoFacts {
  const at = Buffer.from(bytes.subarray(0, headerBytesMax)).indexOf('avih')
  if (at < 0 || at + 48 > bytes.length) return { container: 'AVI' }
  const body = at + 8
  return {
    container: 'AVI',
    seconds: (view.getUint32(body, true) * view.getUint32(body + 16, true)) / 1e6,
    width: view.getUint32(body + 32, true),
    height: view.getUint32(body + 36, true),
  }
}
