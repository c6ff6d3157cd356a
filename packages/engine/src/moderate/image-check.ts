import { invalidRequest } from '@sluice/contract'
import { type Scores, zeroScores } from './score.ts'

/** Larger pictures are refused before they are decoded. */
const pixelsMax = 60_000_000
const side = 48

/**
 * Looks at an image by its colours alone: much skin raises `sexual` a little and much dark red `violence/graphic`, both
 * always below the threshold, for colours prove nothing. Throws invalid_request with `param` when it is no image.
 */
export async function scoreImage(bytes: Uint8Array, param: string): Promise<Scores> {
  const pixels = await decode(bytes, param)
  let skin = 0
  let red = 0
  for (let i = 0; i + 2 < pixels.length; i += 3) {
    const [r = 0, g = 0, b = 0] = pixels.subarray(i, i + 3)
    if (isSkin(r, g, b)) skin++
    if (r > 90 && r < 190 && g < 40 && b < 45) red++
  }
  const count = pixels.length / 3
  return {
    ...zeroScores(),
    sexual: round(0.4 * (skin / count)),
    'violence/graphic': round(0.3 * (red / count)),
  }
}

async function decode(bytes: Uint8Array, param: string): Promise<Uint8Array> {
  const { default: sharp } = await import('sharp')
  try {
    return await sharp(bytes, { limitInputPixels: pixelsMax })
      .resize(side, side, { fit: 'fill' })
      .flatten({ background: '#ffffff' })
      .toColourspace('srgb')
      .removeAlpha()
      .raw()
      .toBuffer()
  } catch {
    throw invalidRequest('The image cannot be read, or has too many pixels', param)
  }
}

/** Kovač, Peer and Solina, "Human skin colour clustering for face detection" (2003), in daylight. */
function isSkin(r: number, g: number, b: number): boolean {
  const spread = Math.max(r, g, b) - Math.min(r, g, b)
  return r > 95 && g > 40 && b > 20 && spread > 15 && r - g > 15 && r > b
}

function round(score: number): number {
  return Math.round(score * 1e6) / 1e6
}
