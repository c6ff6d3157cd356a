import { invalidRequest } from '@sluice/contract'
import type { Task } from '../workers/task.ts'
import { white } from './colors.ts'
import { writeText } from './draw-text.ts'
import type { DrawingOptions } from './image-options.ts'
import { type Edit, type EditKind, parseInstruction, parseNegative } from './parse-instruction.ts'
import {
  type DecodedPicture,
  decodePicture,
  type FinishedPicture,
  finishPicture,
  layOver,
  type Picture,
  pictureOf,
  pipelineOf,
  type Size,
  scaledToArea,
  transparent,
} from './picture.ts'

export interface ImageSource {
  readonly bytes: Uint8Array
  /** The path of the image's field, for errors. */
  readonly param: string
}

export interface EditImagesInput extends DrawingOptions {
  /** The first one is edited; the others can be put over it or beside it. */
  readonly images: readonly ImageSource[]
  /** The edit is visible where the mask is transparent (OpenAI API, CreateImageEditRequest). */
  readonly mask?: ImageSource | undefined
}

export interface ImagesOutput {
  readonly pictures: readonly FinishedPicture[]
  /** What was understood of the request, as a sentence. */
  readonly understood: string
  /** Total area of the given images at the size at which they were processed, in pixels. */
  readonly inputPixels: number
}

/** Limits in pixels that keep a request short: for one image, for all variants or sources together, and for all steps. */
const pictureMax = 4_194_304
const togetherMax = 12_000_000
const stepsMax = 16_000_000

function pixelsFor({ count, images }: EditImagesInput, { edits }: Plan): number {
  const steps = count * Math.max(1, edits.length)
  return Math.min(pictureMax, togetherMax / Math.max(count, images.length), stepsMax / steps)
}

/** Steps that move pixels, so that a mask made for the original would no longer fit. */
const movingKinds: ReadonlySet<EditKind> = new Set(['rotate', 'flip', 'crop', 'resize'])

/** Edits images as an instruction says. Throws invalid_request with the image's param if one cannot be read. */
export const editImages: Task<EditImagesInput, ImagesOutput> = async (input, { progress }) => {
  const plan = planEdit(input)
  const pixelsMax = pixelsFor(input, plan)
  const pictures: DecodedPicture[] = []
  for (const { bytes, param } of input.images)
    pictures.push(await decodePicture(bytes, { param, pixelsMax }))
  const [first, ...others] = pictures
  if (first === undefined) throw invalidRequest('There is no image to edit', 'image')
  const mask = input.mask === undefined ? undefined : await decodeMask(input.mask, first)
  const joined = await combine([first, ...others], pixelsMax)
  const edited = await applyThrough(joined, plan.edits, { mask, pixelsMax })
  const finished = await finishVariants(edited, input, progress)
  const inputPixels = pictures.reduce((sum, { width, height }) => sum + width * height, 0)
  const isReduced = pictures.some((picture) => picture.isReduced)
  const note = isReduced ? ` Worked on at most ${(pixelsMax / 1e6).toFixed(1)} megapixels.` : ''
  return { pictures: finished, understood: plan.understood + note, inputPixels }
}

interface Plan {
  readonly edits: readonly Edit[]
  readonly understood: string
}

function planEdit(input: EditImagesInput): Plan {
  const { steps, leftover } = parseInstruction(input.prompt)
  const unwanted = parseNegative(input.negativePrompt)
  const kept = steps.filter(({ edit }) => !unwanted.has(edit.kind))
  const removed = steps.filter(({ edit }) => unwanted.has(edit.kind))
  const joined = input.images.length > 1 ? ['the pictures set side by side'] : []
  const done = [...joined, ...kept.map(({ words }) => words)].join('; ')
  const parts: readonly (readonly [isSaid: boolean, sentence: string])[] = [
    [done !== '', `Done: ${done}.`],
    // Without anything to do the image is unchanged, and the response says so.
    [done === '', 'No edit was understood; the picture is unchanged.'],
    [
      removed.length > 0,
      `Left out, as the negative prompt asks: ${removed.map(({ words }) => words).join('; ')}.`,
    ],
    [input.isTransparent, 'The background was not cut out.'],
    [input.count > 1, 'Variants after the first are a little lighter or darker.'],
    [leftover.length > 0, `Not understood and not done: ${leftover.join('; ').slice(0, 500)}.`],
  ]
  const understood = parts.flatMap(([isSaid, sentence]) => (isSaid ? [sentence] : [])).join(' ')
  return { edits: kept.map(({ edit }) => edit), understood }
}

/** The variants that a request asks for, in its size and form. The first is the picture; the others are darker and lighter. */
export async function finishVariants(
  picture: Picture,
  { count, size, watermark, finish }: DrawingOptions,
  progress: (done: number) => void,
): Promise<readonly FinishedPicture[]> {
  const finished: FinishedPicture[] = []
  for (let variant = 0; variant < count; variant += 1) {
    const changed = variant === 0 ? picture : await shaded(picture, variant)
    const sized = size === undefined ? changed : await fitInto(changed, size)
    const marked = watermark ? await drawWatermark(sized) : sized
    finished.push(await finishPicture(marked, finish))
    progress((variant + 1) / count)
  }
  return finished
}

/** Mixed with black if the number is odd, otherwise with white. */
async function shaded(picture: Picture, variant: number): Promise<Picture> {
  const part = Math.ceil(variant / 2) * 0.08
  const factor = 1 - part
  const plus = variant % 2 === 1 ? 0 : 255 * part
  return pictureOf(pipelineOf(picture).linear([factor, factor, factor, 1], [plus, plus, plus, 0]))
}

async function applyThrough(
  picture: Picture,
  edits: readonly Edit[],
  { mask, pixelsMax }: { readonly mask: Uint8Array | undefined; readonly pixelsMax: number },
): Promise<Picture> {
  if (mask === undefined) return applyEdits(picture, edits, pixelsMax)
  const inPlace = edits.filter(({ kind }) => !movingKinds.has(kind))
  const moving = edits.filter(({ kind }) => movingKinds.has(kind))
  const edited = await applyEdits(picture, inPlace, pixelsMax)
  return applyEdits(throughMask(picture, edited, mask), moving, pixelsMax)
}

/** Shows the edit where the mask is transparent. */
function throughMask(original: Picture, edited: Picture, mask: Uint8Array): Picture {
  const pixels = Uint8Array.from(original.pixels)
  for (let index = 0; index < pixels.length; index += 1) {
    const part = 1 - (mask[index | 3] ?? 255) / 255
    pixels[index] = Math.round(
      (pixels[index] ?? 0) * (1 - part) + (edited.pixels[index] ?? 0) * part,
    )
  }
  return { ...original, pixels }
}

/** The pixels of a mask, at the size at which the first image is processed. */
async function decodeMask(
  { bytes, param }: ImageSource,
  { width, height }: Picture,
): Promise<Uint8Array> {
  const mask = await decodePicture(bytes, { param, pixelsMax: pictureMax })
  const isAlike = Math.abs(mask.width / mask.height - width / height) < 0.02 * (width / height)
  if (!isAlike) throw invalidRequest('The mask must have the size of the first image', param)
  const hasHole = mask.pixels.some((value, index) => index % 4 === 3 && value < 255)
  if (!hasHole)
    throw invalidRequest('The mask has no transparent pixel, so nothing would be edited', param)
  if (mask.width === width && mask.height === height) return mask.pixels
  return (await pictureOf(pipelineOf(mask).resize({ width, height, fit: 'fill' }))).pixels
}

/** Does the steps one after the other. After each, an image above the limit is scaled down. */
async function applyEdits(
  picture: Picture,
  edits: readonly Edit[],
  pixelsMax: number,
): Promise<Picture> {
  let changed = picture
  for (const { apply } of edits) changed = await scaledToArea(await apply(changed), pixelsMax)
  return changed
}

/** The engine's visible watermark in the bottom right corner. */
async function drawWatermark(picture: Picture): Promise<Picture> {
  const style = { place: 'corner', color: white, opacity: 0.7, part: 0.06, hasBand: true } as const
  return writeText(picture, 'Made by Sluice', style)
}

/** Fits an image into a size without cropping or stretching; the rest is transparent. */
async function fitInto(picture: Picture, { width, height }: Size): Promise<Picture> {
  if (picture.width === width && picture.height === height) return picture
  const room = { width, height, fit: 'contain', background: transparent } as const
  return pictureOf(pipelineOf(picture).resize(room))
}

/** Maximum width of an image set beside another: one with a height of one pixel would become endless. */
const stripMax = 4096

/** Joins several images side by side into one of at most this area. */
async function combine(
  [first, ...others]: readonly [Picture, ...Picture[]],
  pixelsMax: number,
): Promise<Picture> {
  let joined = first
  for (const other of others) {
    const { height } = joined
    const width = Math.max(1, Math.min(stripMax, Math.round((other.width / other.height) * height)))
    const scaled = await pictureOf(pipelineOf(other).resize({ height, width, fit: 'fill' }))
    const wide = pipelineOf(joined).extend({ right: width, background: transparent })
    const beside = await layOver(await pictureOf(wide), scaled, { left: joined.width, top: 0 })
    joined = await scaledToArea(beside, pixelsMax)
  }
  return joined
}
