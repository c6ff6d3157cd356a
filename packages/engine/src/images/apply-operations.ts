import { readableOn } from './colors.ts'
import { placedTextSvg, sceneSvg, svgOf } from './draw-scene.ts'
import type { EditOperation } from './edit-operations.ts'
import { applyEffect } from './effects.ts'
import * as geometry from './geometry.ts'
import { layOut } from './layout.ts'
import { drawSvg, layOver, type Picture, scaledToArea } from './picture.ts'
import type { Thing } from './scene.ts'

type OperationOf<K extends EditOperation['kind']> = Extract<EditOperation, { readonly kind: K }>

/** Runs the operations one after the other; what grows beyond the limit is scaled down after each. */
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
  switch (operation.kind) {
    case 'rotate':
      return geometry.rotate(picture, operation.degrees)
    case 'flip':
      return geometry.flip(picture, operation.axis)
    case 'crop':
      return geometry.crop(picture, operation.area)
    case 'resize':
      return geometry.resize(picture, operation, pixelsMax)
    case 'combine':
      // It was done before, when the pictures became one.
      return picture
    case 'border':
      return geometry.border(picture, operation.width, operation.color)
    case 'caption':
      return writeCaption(picture, operation)
    case 'draw':
      return drawThings(picture, operation.things)
    default:
      return applyEffect(picture, operation)
  }
}

async function writeCaption(
  picture: Picture,
  { text, place, color, faint }: OperationOf<'caption'>,
): Promise<Picture> {
  const ink = color ?? ([255, 255, 255] as const)
  const look = faint === true ? { opacity: 0.55, part: 0.06 } : { part: 0.085 }
  const style = { place, color: ink, halo: readableOn(ink), ...look }
  const body = placedTextSvg(text, style, picture)
  return layOver(picture, await drawSvg(svgOf(picture, body)))
}

async function drawThings(picture: Picture, things: readonly Thing[]): Promise<Picture> {
  const nothingElse = { background: undefined, chart: undefined, texts: [] }
  const svg = sceneSvg(nothingElse, layOut({ things, texts: [] }, picture), picture)
  return layOver(picture, await drawSvg(svg))
}

/** The visible mark of the engine, in the bottom right corner. */
export async function drawWatermark(picture: Picture): Promise<Picture> {
  const style = {
    place: { x: 'right', y: 'bottom' },
    color: [255, 255, 255],
    halo: [0, 0, 0],
    opacity: 0.7,
    part: 0.04,
  } as const
  const body = placedTextSvg('Made by Sluice', style, picture)
  return layOver(picture, await drawSvg(svgOf(picture, body)))
}
