import { GatewayError, invalidRequest } from '@sluice/contract'
import sharp from 'sharp'
import { imageFormatOf } from '../../images/image-format.ts'
import type { Task } from '../../workers/task.ts'
import type { Medium } from '../ask/ask.ts'

const pixelsMax = 60_000_000
/** An SVG is a drawing program: its length says little about its cost, and a long one is not a simple image. */
const svgBytesMax = 100_000
/** Colors are counted on a copy of the image scaled down to this width and height, in pixels. */
const sampleSide = 48

type Detail = 'low' | 'high' | 'auto' | 'original'

export interface ImageInput {
  readonly bytes: Uint8Array
  readonly detail: Detail
}

/** Measures an image: format, size and colors. Throws invalid_request if it is not an image. */
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
    const sample = await image
      .rotate()
      .resize(sampleSide, sampleSide, { fit: 'fill' })
      .toColourspace('srgb')
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true })
    const colors = colorSentence(countColors(sample.data))
    return {
      kind: 'image',
      description: `${sizeSentence(format, width, height, pages)} ${colors}`,
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
  return `This is a ${format.toUpperCase()} image${animated}, ${width} pixels wide and ${height} pixels high, in ${orientation} orientation.`
}

/** Image tokens as OpenAI counts them: 85, and at high detail 170 more for each tile of 512 pixels (vision guide). */
function imageTokens(width: number, height: number, detail: Detail): number {
  if (detail === 'low') return 85
  const scale = Math.min(1, 2048 / Math.max(width, height), 768 / Math.min(width, height))
  const tiles = Math.ceil((width * scale) / 512) * Math.ceil((height * scale) / 512)
  return 85 + 170 * Math.max(1, tiles)
}

/** How many of the visible pixels have each color. */
function countColors(data: Uint8Array): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (let at = 0; at + 3 < data.length; at += 4) {
    const [red = 0, green = 0, blue = 0, alpha = 0] = data.subarray(at, at + 4)
    if (alpha <= 25) continue
    const color = colorName(red, green, blue)
    counts.set(color, (counts.get(color) ?? 0) + 1)
  }
  return counts
}

/** The everyday name of a color, by its hue, saturation and lightness. */
function colorName(red: number, green: number, blue: number): string {
  const high = Math.max(red, green, blue)
  const range = high - Math.min(red, green, blue)
  const lightness = (2 * high - range) / 510
  const chroma = range / 255
  if (lightness < 0.1) return 'black'
  if (lightness > 0.93 && chroma < 0.12) return 'white'
  if (chroma < 0.08 || chroma / (1 - Math.abs(2 * lightness - 1)) < 0.15)
    return lightness > 0.85 ? 'white' : lightness < 0.2 ? 'black' : 'gray'
  const sixth =
    high === red
      ? ((green - blue) / range + 6) % 6
      : high === green
        ? (blue - red) / range + 2
        : (red - green) / range + 4
  const name = hues.find(([limit]) => sixth * 60 < limit)?.[1] ?? 'red'
  if (name === 'orange' && lightness < 0.4) return 'brown'
  return name === 'red' && lightness > 0.7 ? 'pink' : name
}

const hues: readonly (readonly [number, string])[] = [
  [15, 'red'],
  [42, 'orange'],
  [68, 'yellow'],
  [165, 'green'],
  [195, 'cyan'],
  [255, 'blue'],
  [290, 'purple'],
  [335, 'pink'],
]

/** Names the most frequent colors, at most four. */
function colorSentence(counts: ReadonlyMap<string, number>): string {
  const visible = counts.values().reduce((sum, count) => sum + count, 0)
  const shares = [...counts]
    .map(([color, count]) => ({ color, share: count / visible }))
    .filter(({ share }) => share >= 0.03)
    .sort((left, right) => right.share - left.share)
    .slice(0, 4)
  const [first, ...others] = shares.map(
    ({ color, share }) => `${color} (${Math.round(share * 100)}%)`,
  )
  if (first === undefined) return 'It is fully transparent.'
  return others.length === 0
    ? `Its dominant color is ${shares[0]?.color}, all over.`
    : `Its dominant color is ${first}, followed by ${others.join(', ')}.`
}
