import { formatHex, type Rgb } from './colors.ts'
import type { Arrangement, CropArea, EditOperation, Length } from './edit-operations.ts'
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

/** Makes one picture of several, of at most this area. */
export async function combine(
  pictures: readonly [Picture, ...Picture[]],
  arrangement: Arrangement,
  pixelsMax: number,
): Promise<Picture> {
  const [first, ...others] = pictures
  let joined = first
  for (const other of others)
    joined = await scaledToArea(await combineTwo(joined, other, arrangement), pixelsMax)
  return joined
}

async function combineTwo(
  first: Picture,
  second: Picture,
  arrangement: Arrangement,
): Promise<Picture> {
  switch (arrangement.how) {
    case 'beside':
      return setBeside(first, second)
    case 'stacked': {
      const turned = await setBeside(await rotate(first, 270), await rotate(second, 270))
      return rotate(turned, 90)
    }
    case 'blended': {
      const { width, height } = first
      const over = await pictureOf(pipelineOf(second).resize({ width, height, fit: 'cover' }))
      return layOver(first, fainter(over, arrangement.opacity))
    }
    case 'inset': {
      const side = Math.max(1, Math.round(Math.min(first.width, first.height) * arrangement.part))
      const over = await pictureOf(
        pipelineOf(second).resize({ width: side, height: side, fit: 'inside' }),
      )
      const margin = Math.round(side * 0.1)
      const room = {
        width: first.width - over.width - 2 * margin,
        height: first.height - over.height - 2 * margin,
      }
      const corner = cornerAt(arrangement.place, {
        width: Math.max(0, room.width),
        height: Math.max(0, room.height),
      })
      const at =
        room.width < 0 || room.height < 0
          ? corner
          : { left: corner.left + margin, top: corner.top + margin }
      return layOver(first, over, at)
    }
  }
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

function fainter(picture: Picture, opacity: number): Picture {
  const pixels = Uint8Array.from(picture.pixels)
  for (let index = 3; index < pixels.length; index += 4)
    pixels[index] = (pixels[index] ?? 0) * opacity
  return { ...picture, pixels }
}
