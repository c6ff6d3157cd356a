import type { Sharp } from 'sharp'
import { formatHex, readableOn } from './colors.ts'
import { type PlacedStyle, placedTextSvg, sceneSvg, svgOf } from './draw-scene.ts'
import type { CropArea, EditOperation, EffectKind } from './edit-operations.ts'
import { layOut } from './layout.ts'
import {
  drawSvg,
  layOver,
  type Picture,
  pictureOf,
  pipelineOf,
  type Size,
  scaledToArea,
  sizeWithin,
} from './picture.ts'

type OperationOf<K extends EditOperation['kind']> = Extract<EditOperation, { readonly kind: K }>

const transparent = { r: 0, g: 0, b: 0, alpha: 0 }

/** Runs the operations one after the other. After each, an image above the limit is scaled down. */
export async function applyOperations(
  picture: Picture,
  operations: readonly EditOperation[],
  pixelsMax: number,
): Promise<Picture> {
  let changed = picture
  for (const operation of operations)
    changed = await scaledToArea(await applyOne(changed, operation, pixelsMax), pixelsMax)
  return changed
}

async function applyOne(
  picture: Picture,
  operation: EditOperation,
  pixelsMax: number,
): Promise<Picture> {
  const pipeline = pipelineOf(picture)
  switch (operation.kind) {
    case 'rotate':
      // Rotating by other angles than right ones leaves transparent corners.
      return pictureOf(pipeline.rotate(operation.degrees, { background: transparent }))
    case 'flip':
      return pictureOf(operation.axis === 'horizontal' ? pipeline.flop() : pipeline.flip())
    case 'crop':
      return pictureOf(pipeline.extract(cropBox(picture, operation.area)))
    case 'resize':
      return pictureOf(pipeline.resize({ ...resized(picture, operation, pixelsMax), fit: 'fill' }))
    case 'combine':
      // This was done before, when the images were joined.
      return picture
    case 'border':
      return pictureOf(pipeline.extend(borderOf(picture, operation)))
    case 'caption':
      return writeCaption(picture, operation)
    case 'draw': {
      const scene = { things: operation.things, texts: [], background: undefined, chart: undefined }
      return layOver(picture, await drawSvg(sceneSvg(scene, layOut(scene, picture), picture)))
    }
    default:
      return pictureOf(applyEffect(pipeline, operation, picture))
  }
}

function cropBox({ width, height }: Picture, area: CropArea) {
  const wanted =
    area.by === 'ratio'
      ? { width: height * area.ratio, height: width / area.ratio }
      : area.by === 'pixels'
        ? area
        : { width: area.width * width, height: area.height * height }
  const box = {
    width: Math.min(width, Math.max(1, Math.round(wanted.width))),
    height: Math.min(height, Math.max(1, Math.round(wanted.height))),
  }
  const { x, y } = area.place
  return {
    ...box,
    left: Math.floor((width - box.width) * { left: 0, center: 0.5, right: 1 }[x]),
    top: Math.floor((height - box.height) * { top: 0, center: 0.5, bottom: 1 }[y]),
  }
}

function resized(
  picture: Picture,
  { width, height, factor = 1 }: OperationOf<'resize'>,
  pixelsMax: number,
): Size {
  const shape = picture.width / picture.height
  return sizeWithin(
    width ?? (height === undefined ? picture.width * factor : height * shape),
    height ?? (width === undefined ? picture.height * factor : width / shape),
    pixelsMax,
  )
}

/** A border enlarges the image. */
function borderOf(picture: Picture, { width, color }: OperationOf<'border'>) {
  const shorter = Math.min(picture.width, picture.height)
  const wanted = Math.round('pixels' in width ? width.pixels : width.part * shorter)
  const side = Math.min(Math.max(1, wanted), Math.ceil(shorter / 2), 1000)
  return { top: side, bottom: side, left: side, right: side, background: formatHex(color) }
}

function writeCaption(
  picture: Picture,
  { text, place, color = [255, 255, 255], faint }: OperationOf<'caption'>,
): Promise<Picture> {
  const look = faint === true ? { opacity: 0.55, part: 0.06 } : { part: 0.085 }
  return writeText(picture, text, { place, color, halo: readableOn(color), ...look })
}

/** The engine's visible watermark in the bottom right corner. */
export function drawWatermark(picture: Picture): Promise<Picture> {
  return writeText(picture, 'Made by Sluice', {
    place: { x: 'right', y: 'bottom' },
    color: [255, 255, 255],
    halo: [0, 0, 0],
    opacity: 0.7,
    part: 0.04,
  })
}

async function writeText(picture: Picture, text: string, style: PlacedStyle): Promise<Picture> {
  return layOver(picture, await drawSvg(svgOf(picture, placedTextSvg(text, style, picture))))
}

type Row = readonly [number, number, number]

/** ITU-R BT.709. */
const gray: Row = [0.2126, 0.7152, 0.0722]
/** The W3C filter effects matrix (Filter Effects 1, sepia). */
const brown: readonly Row[] = [
  [0.393, 0.769, 0.189],
  [0.349, 0.686, 0.168],
  [0.272, 0.534, 0.131],
]

/** Effects that change colours without moving pixels. `amount` is as in EditOperation. */
function applyEffect(
  pipeline: Sharp,
  { kind, amount }: EditOperation & { readonly kind: EffectKind },
  { width, height }: Picture,
): Sharp {
  switch (kind) {
    case 'invert':
      return pipeline.negate({ alpha: false })
    case 'grayscale':
      return recolor(pipeline, [gray, gray, gray], amount)
    case 'sepia':
      return recolor(pipeline, brown, amount)
    case 'saturation':
      return recolor(pipeline, [gray, gray, gray], -amount)
    case 'brightness':
      return amount < 0
        ? linear(pipeline, Math.max(0, 1 + amount), 0)
        : linear(pipeline, 1 + amount * 0.6, amount * 16)
    case 'contrast': {
      const slope = amount < 0 ? Math.max(0, 1 + amount) : 1 + amount * 1.5
      return linear(pipeline, slope, 128 * (1 - slope))
    }
    case 'blur':
      // Slightly more than a hundredth of the shorter side at 0.5, so that it looks alike at any size.
      return pipeline.blur(Math.min(100, 0.6 + amount * (0.6 + Math.min(width, height) / 50)))
    case 'sharpen':
      return pipeline.sharpen({ sigma: 1 + amount, m2: 6 * amount })
  }
}

/** Moves the colours part of the way toward the result of the matrix; alpha is unchanged. */
function recolor(pipeline: Sharp, matrix: readonly Row[], amount: number): Sharp {
  const part = Math.min(1, amount)
  const mixed = matrix.map((row, index) => [
    ...row.map((value, column) => (column === index ? 1 - part : 0) + value * part),
    0,
  ])
  // Four rows of four.
  return pipeline.recomb([...mixed, [0, 0, 0, 1]] as unknown as Parameters<Sharp['recomb']>[0])
}

function linear(pipeline: Sharp, factor: number, plus: number): Sharp {
  // The fraction is cut off, so 0.5 is added to round.
  const rounded = plus + 0.5
  return pipeline.linear([factor, factor, factor, 1], [rounded, rounded, rounded, 0])
}

/** Fits an image into a size without cropping or stretching; the rest is transparent. */
export async function fitInto(picture: Picture, { width, height }: Size): Promise<Picture> {
  if (picture.width === width && picture.height === height) return picture
  const room = { width, height, fit: 'contain', background: transparent } as const
  return pictureOf(pipelineOf(picture).resize(room))
}

/** Maximum width of an image set beside another: one with a height of one pixel would become endless. */
const stripMax = 4096

/** Joins several images side by side into one of at most this area. */
export async function combine(
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
