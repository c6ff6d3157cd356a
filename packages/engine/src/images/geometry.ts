import { formatHex, type Rgb } from './colors.ts'
import type { CropArea, EditOperation, Length } from './edit-operations.ts'
import { pixelsOf } from './effects.ts'
import {
  layOver,
  type Picture,
  pictureOf,
  pipelineOf,
  scaledToArea,
  sizeWithin,
} from './picture.ts'
import type { Place } from './scene.ts'

/** A strip set beside a picture is no wider than this. */
const sideMax = 4096

const transparent = { r: 0, g: 0, b: 0, alpha: 0 }

/** Clockwise; corners that open at other than right angles are transparent. */
export async function rotate(picture: Picture, degrees: number): Promise<Picture> {
  return pictureOf(pipelineOf(picture).rotate(degrees, { background: transparent }))
}

export async function flip(picture: Picture, axis: 'horizontal' | 'vertical'): Promise<Picture> {
  const pipeline = pipelineOf(picture)
  return pictureOf(axis === 'horizontal' ? pipeline.flop() : pipeline.flip())
}

export async function crop(picture: Picture, area: CropArea): Promise<Picture> {
  return pictureOf(pipelineOf(picture).extract(cropBox(picture, area)))
}

interface Box {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

function cropBox({ width, height }: Picture, area: CropArea): Box {
  const wanted =
    area.by === 'pixels'
      ? area
      : area.by === 'parts'
        ? { width: area.width * width, height: area.height * height }
        : {
            width: Math.min(width, height * area.ratio),
            height: Math.min(height, width / area.ratio),
          }
  const box = {
    width: Math.min(width, Math.max(1, Math.round(wanted.width))),
    height: Math.min(height, Math.max(1, Math.round(wanted.height))),
  }
  return {
    ...box,
    ...cornerAt(area.place, { width: width - box.width, height: height - box.height }),
  }
}

/** Where the top left corner is of something that leaves this much room. */
function cornerAt({ x, y }: Place, room: { readonly width: number; readonly height: number }) {
  return {
    left: Math.floor(room.width * { left: 0, center: 0.5, right: 1 }[x]),
    top: Math.floor(room.height * { top: 0, center: 0.5, bottom: 1 }[y]),
  }
}

export async function resize(
  picture: Picture,
  { width, height, factor }: EditOperation & { readonly kind: 'resize' },
  pixelsMax: number,
): Promise<Picture> {
  const shape = picture.width / picture.height
  const wanted = {
    width: width ?? (height === undefined ? picture.width * (factor ?? 1) : height * shape),
    height: height ?? (width === undefined ? picture.height * (factor ?? 1) : width / shape),
  }
  const bounded = sizeWithin(wanted.width, wanted.height, pixelsMax)
  return pictureOf(pipelineOf(picture).resize({ ...bounded, fit: 'fill' }))
}

/** Fits a picture into a size without cutting or stretching; what is left over is transparent. */
export async function fitInto(
  picture: Picture,
  size: { readonly width: number; readonly height: number },
): Promise<Picture> {
  if (picture.width === size.width && picture.height === size.height) return picture
  return pictureOf(pipelineOf(picture).resize({ ...size, fit: 'contain', background: transparent }))
}

/** Adds a border around the picture, which grows by it. */
export async function border(picture: Picture, width: Length, color: Rgb): Promise<Picture> {
  const side = Math.min(
    pixelsOf(width, picture),
    Math.ceil(Math.min(picture.width, picture.height) / 2),
    1000,
  )
  const all = { top: side, bottom: side, left: side, right: side }
  return pictureOf(pipelineOf(picture).extend({ ...all, background: formatHex(color) }))
}

/** Makes one picture of several, side by side, of at most this area. */
export async function combine(
  [first, ...others]: readonly [Picture, ...Picture[]],
  pixelsMax: number,
): Promise<Picture> {
  let joined = first
  for (const other of others) joined = await scaledToArea(await setBeside(joined, other), pixelsMax)
  return joined
}

async function setBeside(first: Picture, second: Picture): Promise<Picture> {
  const height = first.height
  const scaled = await pictureOf(
    pipelineOf(second).resize({ height, width: sideWidth(second, height), fit: 'fill' }),
  )
  const wide = await pictureOf(
    pipelineOf(first).extend({ right: scaled.width, background: transparent }),
  )
  return layOver(wide, scaled, { left: first.width, top: 0 })
}

/** The width at a height, bounded, since a strip of one pixel's height would become endless. */
function sideWidth({ width, height }: Picture, wanted: number): number {
  return Math.max(1, Math.min(sideMax, Math.round((width / height) * wanted)))
}
