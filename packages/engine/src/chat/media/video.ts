import { invalidRequest } from '@sluice/contract'
import type { Medium } from '../ask/conversation.ts'

/** The tokens of a video, whose length is not read: those of ten images of low detail. */
const videoTokens = 850

/** Tells the container of a video. Throws invalid_request for any that it does not know. */
export function describeVideo(bytes: Uint8Array, param: string): Medium {
  const container = containerOf(bytes)
  if (container === undefined)
    throw invalidRequest(
      'The container of the video is not supported; use mp4, mov, webm, mkv or avi',
      param,
    )
  const description = `This is a ${container} video of ${bytes.length} bytes.`
  return { kind: 'video', description, imageTokens: videoTokens }
}

function containerOf(bytes: Uint8Array): string | undefined {
  const name = (at: number): string => String.fromCharCode(...bytes.subarray(at, at + 4))
  if (name(4) === 'ftyp') return name(8) === 'qt  ' ? 'QuickTime' : 'MP4'
  // The document type is in the header (RFC 9559, section 5.1.1).
  if (name(0) === '\x1a\x45\xdf\xa3')
    return Buffer.from(bytes.subarray(0, 64)).includes('webm') ? 'WebM' : 'Matroska'
  return name(0) === 'RIFF' && name(8) === 'AVI ' ? 'AVI' : undefined
}
