import { fileURLToPath } from 'node:url'
import { GatewayError, invalidRequest } from '@sluice/contract'
import sharp, { type Sharp } from 'sharp'
import type { Rgb } from './colors.ts'
import { imageFormatOf } from './image-format.ts'

export interface Size {
  readonly width: number
  readonly height: number
}

/** Pixels in rows, four bytes each: red, green, blue and alpha, which is not premultiplied. */
export interface Picture extends Size {
  readonly pixels: Uint8Array
}

// The operation cache of libvips would keep images of past requests in memory.
sharp.cache(false)

export interface DecodedPicture extends Picture {
  /** Whether it was scaled down for processing. */
  readonly isReduced: boolean
}

export type OutputFormat = 'png' | 'jpeg' | 'webp'

/** Larger inputs are rejected before they are decoded. */
const inputPixelsMax = 40_000_000

/**
 * Decodes the first frame, upright (EXIF orientation applied). An image of more than `pixelsMax` pixels is scaled down to that
 * area. Throws invalid_request with `param` for anything that is not a readable image.
 */
export async function decodePicture(
  bytes: Uint8Array,
  { param, pixelsMax }: { readonly param: string; readonly pixelsMax: number },
): Promise<DecodedPicture> {
  if (imageFormatOf(bytes) === undefined) throw unreadable(bytes, param)
  try {
    const source = sharp(bytes, { limitInputPixels: inputPixelsMax, failOn: 'error', pages: 1 })
    const { autoOrient } = await source.metadata()
    const size = sizeWithin(autoOrient.width, autoOrient.height, pixelsMax)
    const upright = source.autoOrient()
    const isReduced = isSmaller(size, autoOrient)
    const scaled = isReduced ? upright.resize({ ...size, fit: 'fill' }) : upright
    return { ...(await pictureOf(scaled.toColourspace('srgb'))), isReduced }
  } catch (thrown) {
    throw tooManyPixels(thrown, param) ?? unreadable(bytes, param, thrown)
  }
}

function tooManyPixels(thrown: unknown, param: string): GatewayError | undefined {
  if (!(thrown instanceof Error) || !/pixel limit/i.test(thrown.message)) return undefined
  const megapixels = inputPixelsMax / 1_000_000
  return invalidRequest(`The image has more than ${megapixels} megapixels`, param)
}

function unreadable(bytes: Uint8Array, param: string, cause?: unknown): GatewayError {
  const start = Buffer.from(bytes.subarray(0, 256)).toString('utf8')
  const text = /<svg|<\?xml/i.test(start)
    ? 'SVG images are not read; send PNG, JPEG, WebP, GIF, TIFF or AVIF'
    : 'This is not a readable PNG, JPEG, WebP, GIF, TIFF or AVIF image'
  return new GatewayError('invalid_request', text, { param, cause })
}

/** Maximum length of a side: WebP ends at 16,383 pixels. */
const sideMax = 8192

/** The size with the same aspect ratio, at most `pixelsMax` pixels and sides of 1 to 8,192. */
export function sizeWithin(width: number, height: number, pixelsMax: number): Size {
  const factor = Math.min(
    1,
    Math.sqrt(pixelsMax / (width * height)),
    sideMax / width,
    sideMax / height,
  )
  return {
    width: Math.max(1, Math.floor(width * factor)),
    height: Math.max(1, Math.floor(height * factor)),
  }
}

function isSmaller(size: Size, than: Size): boolean {
  return size.width < than.width || size.height < than.height
}

/** The image itself, or scaled down to at most this area. */
export async function scaledToArea(picture: Picture, pixelsMax: number): Promise<Picture> {
  const size = sizeWithin(picture.width, picture.height, pixelsMax)
  if (!isSmaller(size, picture)) return picture
  return pictureOf(pipelineOf(picture).resize({ ...size, fit: 'fill' }))
}

/** Begins a sharp pipeline with an image's pixels. */
export function pipelineOf({ width, height, pixels }: Picture): Sharp {
  return sharp(pixels, { raw: { width, height, channels: 4 }, limitInputPixels: false })
}

/** Runs a sharp pipeline and returns its pixels. */
export async function pictureOf(pipeline: Sharp): Promise<Picture> {
  const { data, info } = await pipeline
    .ensureAlpha()
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  return { width: info.width, height: info.height, pixels: data }
}

/** Draws an SVG whose size is in pixels. Its font is Cousine, which need not be installed. */
export async function drawSvg(svg: string): Promise<Picture> {
  fontLoaded ??= loadFont()
  await fontLoaded
  return pictureOf(sharp(Buffer.from(svg)))
}

const fontFile = import.meta.resolve('@expo-google-fonts/cousine/700Bold/Cousine_700Bold.ttf')
let fontLoaded: Promise<unknown> | undefined

/** Once a font was used, everything that this process draws later can use it, including SVGs. */
function loadFont(): Promise<unknown> {
  return sharp({
    text: { text: 'a', font: 'Cousine Bold', fontfile: fileURLToPath(fontFile) },
  }).toBuffer()
}

/** Puts one image over another, which must not be smaller. */
export async function layOver(
  under: Picture,
  over: Picture,
  at: { readonly left: number; readonly top: number } = { left: 0, top: 0 },
): Promise<Picture> {
  const { width, height, pixels } = over
  const input = { input: Buffer.from(pixels), raw: { width, height, channels: 4 as const }, ...at }
  return pictureOf(pipelineOf(under).composite([input]))
}

export function isOpaque({ pixels }: Picture): boolean {
  for (let index = 3; index < pixels.length; index += 4) if (pixels[index] !== 255) return false
  return true
}

export interface EncodeOptions {
  readonly format: OutputFormat
  /** 0 to 100, for jpeg and webp. Default 90. */
  readonly quality?: number
  /** The colour behind transparent parts. Absent keeps transparency, except in jpeg, where it is white. */
  readonly backdrop?: Rgb
}

export async function encodePicture(
  picture: Picture,
  { format, quality = 90, backdrop }: EncodeOptions,
): Promise<Uint8Array> {
  const [r, g, b] = backdrop ?? (format === 'jpeg' ? [255, 255, 255] : [0, 0, 0])
  const pipeline = pipelineOf(picture)
  const isFlat = backdrop !== undefined || format === 'jpeg' || isOpaque(picture)
  const ready = isFlat ? pipeline.flatten({ background: { r, g, b } }) : pipeline
  if (format === 'png') return ready.png({ compressionLevel: 6 }).toBuffer()
  // Both encoders accept 1 to 100.
  const options = { quality: Math.max(1, quality) }
  return format === 'jpeg'
    ? ready.jpeg(options).toBuffer()
    : ready.webp({ ...options, effort: 0 }).toBuffer()
}
