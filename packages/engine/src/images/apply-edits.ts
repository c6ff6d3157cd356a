import { placedTextSvg, svgOf } from './draw-scene.ts'
import type { Edit } from './edit-rules.ts'
import {
  drawSvg,
  layOver,
  type Picture,
  pictureOf,
  pipelineOf,
  type Size,
  scaledToArea,
} from './picture.ts'

const transparent = { r: 0, g: 0, b: 0, alpha: 0 }

/** Does the steps one after the other. After each, an image above the limit is scaled down. */
export async function applyEdits(
  picture: Picture,
  edits: readonly Edit[],
  pixelsMax: number,
): Promise<Picture> {
  let changed = picture
  for (const { apply } of edits) changed = await scaledToArea(await apply(changed), pixelsMax)
  return changed
}

/** The engine's visible watermark in the bottom right corner. */
export async function drawWatermark(picture: Picture): Promise<Picture> {
  const place = { x: 'right', y: 'bottom' } as const
  const style = {
    place,
    color: [255, 255, 255],
    halo: [0, 0, 0],
    opacity: 0.7,
    part: 0.04,
  } as const
  const svg = svgOf(picture, placedTextSvg('Made by Sluice', style, picture))
  return layOver(picture, await drawSvg(svg))
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
