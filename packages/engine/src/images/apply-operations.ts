import { changeBackground } from './background.ts'
import { readableOn, type Rgb } from './colors.ts'
import { objectsSvg, placedTextSvg } from './draw-scene.ts'
import { foreignDrawingFor } from './draw-text.ts'
import type { EditOperation } from './edit-operations.ts'
import * as filters from './filters.ts'
import * as geometry from './geometry.ts'
import { drawSvg, layOver, type Picture, scaledToArea } from './picture.ts'
import * as tones from './tones.ts'

type Kind = EditOperation['kind']
type OperationOf<K extends Kind> = Extract<EditOperation, { readonly kind: K }>
type Steps = {
  readonly [K in Kind]: (
    picture: Picture,
    operation: OperationOf<K>,
    limits: EditLimits,
  ) => Picture | Promise<Picture>
}

export interface EditLimits {
  /** Decides the grain. */
  readonly seed: string
  readonly pixelsMax: number
}

/** How each kind of operation is done. Combining was done before, when the pictures became one. */
const steps: Steps = {
  rotate: (picture, { degrees }) => geometry.rotate(picture, degrees),
  flip: (picture, { axis }) => geometry.flip(picture, axis),
  crop: (picture, { area }) => geometry.crop(picture, area),
  zoom: (picture, { factor, place }) => geometry.zoom(picture, factor, place),
  resize: (picture, operation, { pixelsMax }) => geometry.resize(picture, operation, pixelsMax),
  circle: (picture) => geometry.circle(picture),
  combine: (picture) => picture,
  border: (picture, { width, color }) => geometry.border(picture, width, color),
  corners: (picture, { radius }) => geometry.roundCorners(picture, radius),
  caption: (picture, operation) => writeCaption(picture, operation),
  draw: (picture, { objects }) => drawObjects(picture, objects),
  background: (picture, { fill }) => changeBackground(picture, fill),
  recolor: (picture, { from, to }) => tones.recolor(picture, from, to),
  tint: (picture, { color, amount }) => tones.tint(picture, color, amount),
  grayscale: (picture, { amount }) => tones.grayscale(picture, amount),
  sepia: (picture, { amount }) => tones.sepia(picture, amount),
  vignette: (picture, { amount }) => tones.vignette(picture, amount),
  grain: (picture, { amount }, { seed }) => tones.grain(picture, amount, seed),
  blur: (picture, { amount }) => filters.blur(picture, amount),
  sharpen: (picture, { amount }) => filters.sharpen(picture, amount),
  denoise: (picture, { amount }) => filters.denoise(picture, amount),
  paint: (picture, { amount }) => filters.paint(picture, amount),
  emboss: (picture, { amount }) => filters.emboss(picture, amount),
  brightness: (picture, { amount }) => tones.brightness(picture, amount),
  contrast: (picture, { amount }) => tones.contrast(picture, amount),
  saturation: (picture, { amount }) => tones.saturation(picture, amount),
  warmth: (picture, { amount }) => tones.warmth(picture, amount),
  hue: (picture, { degrees }) => tones.hue(picture, degrees),
  posterize: (picture, { levels }) => tones.posterize(picture, levels),
  pixelate: (picture, { size }) => filters.pixelate(picture, size),
  threshold: (picture, { level }) => tones.threshold(picture, level),
  invert: (picture) => tones.invert(picture),
  solarize: (picture) => tones.solarize(picture),
  edges: (picture) => filters.edges(picture),
  sketch: (picture) => filters.sketch(picture),
  cartoon: (picture) => filters.cartoon(picture),
  normalize: (picture) => tones.normalize(picture),
}

/** Runs the operations one after the other; what grows beyond the limit is scaled down after each. */
export async function applyOperations(
  picture: Picture,
  operations: readonly EditOperation[],
  limits: EditLimits,
): Promise<Picture> {
  let changed = picture
  for (const operation of operations)
    changed = await scaledToArea(await applyOne(changed, operation, limits), limits.pixelsMax)
  return changed
}

async function applyOne<K extends Kind>(
  picture: Picture,
  operation: OperationOf<K>,
  limits: EditLimits,
): Promise<Picture> {
  // An operation's kind is the key of the step that takes it; TypeScript cannot follow that through the table.
  const step = steps[operation.kind] as Steps[K]
  return step(picture, operation, limits)
}

async function writeCaption(
  picture: Picture,
  { text, place, color, faint }: OperationOf<'caption'>,
): Promise<Picture> {
  const { width, height } = picture
  const ink = color ?? ([255, 255, 255] as const)
  const look = faint === true ? { opacity: 0.55, part: 0.06 } : { part: 0.085 }
  const foreign = await foreignDrawingFor(text)
  const body = placedTextSvg(
    text,
    { place, color: ink, halo: readableOn(ink), ...look },
    { width, height, foreign },
  )
  return layOver(picture, await drawSvg(svgOf(picture, body)))
}

async function drawObjects(
  picture: Picture,
  objects: OperationOf<'draw'>['objects'],
): Promise<Picture> {
  const { width, height } = picture
  return layOver(picture, await drawSvg(objectsSvg(objects, { width, height, foreign: 'box' })))
}

const markInk: Rgb = [255, 255, 255]

/** The visible mark of the engine, in the bottom right corner. */
export async function drawWatermark(picture: Picture): Promise<Picture> {
  const { width, height } = picture
  const style = {
    place: { x: 'right', y: 'bottom' },
    color: markInk,
    halo: [0, 0, 0],
    opacity: 0.7,
    part: 0.04,
  } as const
  const body = placedTextSvg('Made by Sluice', style, { width, height, foreign: 'box' })
  return layOver(picture, await drawSvg(svgOf(picture, body)))
}

function svgOf({ width, height }: Picture, body: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${body}</svg>`
}
