import {
  encodePicture,
  isOpaque,
  type OutputFormat,
  type Picture,
  pictureOf,
  pipelineOf,
  sizeWithin,
} from './picture.ts'

/** The output form of a finished image. */
export interface Finish {
  readonly format: OutputFormat
  /** 0 to 100, for jpeg and webp. */
  readonly quality?: number
  /** Whether transparent parts become white. */
  readonly isOpaque: boolean
  /** Number of unfinished previews for a stream, 0 to 3. */
  readonly previews: number
}

export interface FinishedPicture {
  readonly bytes: Uint8Array
  readonly width: number
  readonly height: number
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
  const options = {
    format: finish.format,
    ...(finish.quality === undefined ? {} : { quality: finish.quality }),
    ...(finish.isOpaque ? { backdrop: [255, 255, 255] as const } : {}),
  }
  const previews: Uint8Array[] = []
  for (const part of previewParts.slice(previewParts.length - finish.previews)) {
    const few = sizeWithin(width, height, width * height * part ** 2)
    const small = await pictureOf(pipelineOf(picture).resize({ ...few, fit: 'fill' }))
    const shown = sizeWithin(width, height, previewPixelsMax)
    const coarse = pipelineOf(small).resize({ ...shown, fit: 'fill' })
    previews.push(await encodePicture(await pictureOf(coarse), options))
  }
  const hidesGround = finish.isOpaque || finish.format === 'jpeg' || isOpaque(picture)
  const bytes = await encodePicture(picture, options)
  return { bytes, width, height, isOpaque: hidesGround, previews }
}
