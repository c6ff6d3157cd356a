import { invalidRequest } from '@sluice/contract'
import type { Medium } from '../ask/conversation.ts'

interface VideoFacts {
  readonly container: string
  readonly seconds?: number
  readonly width?: number
  readonly height?: number
}

/** Tokens of a video: the cost of a low-detail image per second. */
const tokensPerSecond = 85
const tokensMax = 20_000

/** Measures a video: duration and image size of ISO base media; of Matroska and AVI it only knows the container's name. */
export function describeVideo(bytes: Uint8Array, param: string): Medium {
  const facts = readFacts(bytes)
  if (facts === undefined)
    throw invalidRequest(
      'The container of the video is not supported; use mp4, mov, webm, mkv or avi',
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
  }
}

function readFacts(bytes: Uint8Array): VideoFacts | undefined {
  if (name(bytes, 4) === 'ftyp') return isoFacts(bytes)
  if (name(bytes, 0) === '\x1a\x45\xdf\xa3')
    // The document type is in the header (RFC 9559, section 5.1.1).
    return { container: Buffer.from(bytes.subarray(0, 64)).includes('webm') ? 'WebM' : 'Matroska' }
  return name(bytes, 0) === 'RIFF' && name(bytes, 8) === 'AVI ' ? { container: 'AVI' } : undefined
}

function name(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4))
}

const containers: ReadonlySet<string> = new Set(['moov', 'trak', 'mdia'])
const boxesMax = 2000

/** Follows the boxes that lead to the movie header and the track headers (ISO/IEC 14496-12, 8.2.2 and 8.3.2). */
function isoFacts(bytes: Uint8Array): VideoFacts {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
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
