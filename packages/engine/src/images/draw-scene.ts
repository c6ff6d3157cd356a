import { formatHex, type Rgb, readableOn } from './colors.ts'
import { lineHeight, measureText, round, textSvg, wrapText } from './draw-text.ts'
import type { Size } from './picture.ts'
import type { Scene } from './scene.ts'
import { drawShape } from './shapes.ts'

/** How a scene is drawn besides its contents. */
export interface SceneLook {
  /** The part of its room that each shape fills, 0 to 1. Default 0.8. */
  readonly fill?: number
  /** How far the shape with a number is turned clockwise, in degrees. Default 0. */
  readonly turn?: (index: number) => number
  /** Of the texts, 0 to 1. Default 1. */
  readonly opacity?: number
}

const margin = 0.04
/** The share of the height that a text below the shapes takes. */
const textPart = 0.2

/** The SVG of a scene: its shapes in rows of equal cells, and its texts below them, or in the middle without shapes. */
export function sceneSvg(
  { background, things, texts }: Pick<Scene, 'background' | 'things' | 'texts'>,
  canvas: Size,
  look: SceneLook = {},
): string {
  const { width, height } = canvas
  const isBeside = things.length > 0
  const room = { width, height: isBeside && texts.length > 0 ? height * (1 - textPart) : height }
  const parts = texts.map(({ text, color = readableOn(background ?? [255, 255, 255]) }) =>
    placedTextSvg(
      text,
      {
        place: { x: 'center', y: isBeside ? 'bottom' : 'center' },
        color,
        opacity: look.opacity ?? 1,
        // On a plain background a text needs no halo.
        ...(background === undefined || isBeside ? { halo: readableOn(color) } : {}),
      },
      canvas,
    ),
  )
  const ground =
    background === undefined
      ? ''
      : `<rect width="${width}" height="${height}" fill="${formatHex(background)}"/>`
  return svgOf(canvas, `${ground}${shapesSvg(things, room, look)}${parts.join('')}`)
}

export function svgOf({ width, height }: Size, body: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${body}</svg>`
}

/** Every shape in a cell of its own, in rows and columns with the largest cells that fit. */
function shapesSvg(
  things: Scene['things'],
  room: Size,
  { fill = 0.8, turn = () => 0 }: SceneLook,
): string {
  const shapes = things.flatMap((thing) => Array.from({ length: thing.count }, () => thing))
  const edge = margin * Math.min(room.width, room.height)
  const [width, height] = [room.width - 2 * edge, room.height - 2 * edge]
  let columns = 1
  let cell = 0
  for (let tried = 1; tried <= shapes.length; tried += 1) {
    const side = Math.min(width / tried, height / Math.ceil(shapes.length / tried))
    if (side > cell) [columns, cell] = [tried, side]
  }
  const rows = Math.ceil(shapes.length / columns)
  const drawn = shapes.map(({ shape, color }, index) => {
    const row = Math.floor(index / columns)
    const inRow = Math.min(columns, shapes.length - row * columns)
    const x = room.width / 2 + ((index % columns) - (inRow - 1) / 2) * cell
    const y = room.height / 2 + (row - (rows - 1) / 2) * cell
    return `<g transform="translate(${round(x)} ${round(y)}) rotate(${round(turn(index))}) scale(${round((cell * fill) / 2)})">${drawShape(shape, color)}</g>`
  })
  return drawn.join('')
}

export interface PlacedStyle {
  readonly place: {
    readonly x: 'center' | 'right'
    readonly y: 'top' | 'center' | 'bottom'
  }
  readonly color: Rgb
  readonly halo?: Rgb
  readonly opacity?: number
  /** Height of capitals as a part of the shorter side. Default 0.09, smaller if the text would not fit. */
  readonly part?: number
}

/** Text within the margins of a canvas, in lines that fit. */
export function placedTextSvg(text: string, style: PlacedStyle, { width, height }: Size): string {
  const edge = Math.min(width, height) * 0.05
  const room = { width: width - 2 * edge, height: height - 2 * edge }
  let size = Math.max(4, Math.min(width, height) * (style.part ?? 0.09))
  let lines = wrapText(text, size, room.width)
  while (size > 4 && lines.length * lineHeight(size) > room.height * 0.9) {
    size *= 0.8
    lines = wrapText(text, size, room.width)
  }
  const widest = Math.max(...lines.map((line) => measureText(line, size)))
  const tall = (lines.length - 1) * lineHeight(size) + size
  const x = { center: width / 2, right: width - edge - widest / 2 }[style.place.x]
  const y = {
    top: edge,
    center: (height - tall) / 2,
    bottom: height - edge - tall - size * 0.3,
  }[style.place.y]
  const { place: _place, part: _part, ...look } = style
  return textSvg(lines, { x, y }, { ...look, size })
}
