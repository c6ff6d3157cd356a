import { GatewayError, invalidRequest } from '@sluice/contract'
import sharp from 'sharp'
import { imageFormatOf } from '../../images/image-format.ts'
import type { Task } from '../../workers/task.ts'
import type { Medium } from '../ask/conversation.ts'
import { plural } from '../text/words.ts'

const pixelsMax = 60_000_000
/** An SVG is a drawing program: its length says little about its cost, and a long one is not a simple image. */
const svgBytesMax = 100_000

type Detail = 'low' | 'high' | 'auto' | 'original'

export interface ImageInput {
  readonly bytes: Uint8Array
  readonly detail: Detail
}

/** Measures an image: format and size. Throws invalid_request if it is not an image. */
export const describeImage: Task<ImageInput, Medium> = async ({ bytes, detail }) => {
  if (bytes.length === 0) throw invalidRequest('The image is empty')
  // A file without the signature of an image can only be an SVG, compressed or not.
  if (imageFormatOf(bytes) === undefined && bytes.length > svgBytesMax)
    throw isXml(bytes)
      ? invalidRequest(`An SVG image may have at most ${svgBytesMax / 1000} kB`)
      : unreadable()
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) throw unreadable()
  try {
    const image = sharp(bytes, { limitInputPixels: pixelsMax, failOn: 'error' })
    const { format, width, height, pages } = await image.metadata()
    // A file may have the header of an image and nothing behind it.
    await image.resize(8, 8, { fit: 'fill' }).raw().toBuffer()
    return {
      kind: 'image',
      description: sizeSentence(format, width, height, pages),
      imageTokens: imageTokens(width, height, detail),
    }
  } catch (thrown) {
    throw unreadable(thrown)
  }
}

function isXml(bytes: Uint8Array): boolean {
  return /^\ufeff?\s*</.test(Buffer.from(bytes.subarray(0, 256)).toString('utf8'))
}

function unreadable(cause?: unknown): GatewayError {
  return new GatewayError(
    'invalid_request',
    'The image cannot be read; use png, jpeg, webp, gif, tiff, avif or svg',
    { cause },
  )
}

function sizeSentence(format: string, width: number, height: number, frames = 1): string {
  const orientation = width === height ? 'square' : width > height ? 'landscape' : 'portrait'
  const animated = frames > 1 ? ` with ${frames} frames` : ''
  return `This is a ${format.toUpperCase()} image${animated}, ${width} ${plural(width, 'pixel')} wide and ${height} ${plural(height, 'pixel')} high, in ${orientation} orientation.`
}

/** Image tokens as OpenAI counts them: 85, and at high detail 170 more for each tile of 512 pixels (vision guide). */
function imageTokens(width: number, height: number, detail: Detail): number {
  if (detail === 'low') return 85
  const scale = Math.min(1, 2048 / Math.max(width, height), 768 / Math.min(width, height))
  const tiles = Math.ceil((width * scale) / 512) * Math.ceil((height * scale) / 512)
  return 85 + 170 * Math.max(1, tiles)
}
