import { GatewayError, invalidRequest } from '@sluice/contract'
import sharp, { type Sharp } from 'sharp'
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
function sizeWithin(width: number, height: number, pixelsMax: number): Size {
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

/** A color for sharp, of what is not part of an image. */
export const transparent = { r: 0, g: 0, b: 0, alpha: 0 }

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

/** The output form of a finished image. */
export interface Finish {
  readonly format: OutputFormat
  /** 0 to 100, for jpeg and webp. Default 90. */
  readonly quality?: number
  /** Whether transparent parts become white, as they always do in jpeg. */
  readonly isOpaque: boolean
  /** Number of unfinished previews for a stream, 0 to 3. */
  readonly previews: number
}

export interface FinishedPicture extends Size {
  readonly bytes: Uint8Array
  /** Whether no part of the image is transparent. */
  readonly isOpaque: boolean
  /** From coarse to fine, in the size of the image, or of a quarter megapixel if that is smaller. */
  readonly previews: readonly Uint8Array[]
}

const previewPixelsMax = 262_144

/** The part of the full resolution in each preview. */
const previewParts = [1 / 24, 1 / 10, 1 / 4]

export async function finishPicture(picture: Picture, finish: Finish): Promise<FinishedPicture> {
  const { width, height } = picture
  const previews: Uint8Array[] = []
  for (const part of previewParts.slice(previewParts.length - finish.previews)) {
    const few = sizeWithin(width, height, width * height * part ** 2)
    const small = await pictureOf(pipelineOf(picture).resize({ ...few, fit: 'fill' }))
    const shown = sizeWithin(width, height, previewPixelsMax)
    const coarse = pipelineOf(small).resize({ ...shown, fit: 'fill' })
    previews.push(await encodePicture(await pictureOf(coarse), finish))
  }
  const bytes = await encodePicture(picture, finish)
  return { bytes, width, height, isOpaque: becomesOpaque(picture, finish), previews }
}

function becomesOpaque({ pixels }: Picture, { isOpaque, format }: Finish): boolean {
  if (isOpaque || format === 'jpeg') return true
  for (let index = 3; index < pixels.length; index += 4) if (pixels[index] !== 255) return false
  return true
}

async function encodePicture(picture: Picture, finish: Finish): Promise<Uint8Array> {
  const pipeline = pipelineOf(picture)
  const ready = becomesOpaque(picture, finish) ? pipeline.flatten({ background: '#fff' }) : pipeline
  if (finish.format === 'png') return ready.png({ compressionLevel: 6 }).toBuffer()
  // Both encoders accept 1 to 100.
  const options = { quality: Math.max(1, finish.quality ?? 90) }
  return finish.format === 'jpeg'
    ? ready.jpeg(options).toBuffer()
    : ready.webp({ ...options, effort: 0 }).toBuffer()
}
