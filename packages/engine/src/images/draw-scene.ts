import { barChartSvg } from './bar-chart.ts'
import { formatHex, type Rgb, readableOn } from './colors.ts'
import { lineHeight, measureText, round, textSvg, wrapText } from './draw-text.ts'
import { textPlace } from './layout.ts'
import type { Size } from './picture.ts'
import type { Place, Scene, SceneObject, SceneText } from './scene.ts'
import { drawShape } from './shapes.ts'

/** The SVG of a scene whose things have become objects with places. */
export function sceneSvg(
  { background, chart, texts }: Pick<Scene, 'background' | 'chart' | 'texts'>,
  objects: readonly SceneObject[],
  canvas: Size,
): string {
  const { width, height } = canvas
  return svgOf(
    canvas,
    [
      background === undefined
        ? ''
        : `<rect width="${width}" height="${height}" fill="${formatHex(background)}"/>`,
      chart === undefined ? '' : barChartSvg(chart, canvas),
      ...objects.map((object) => drawObject(object, canvas)),
      ...texts.map((text) => drawSceneText(text, background, objects.length > 0, canvas)),
    ].join(''),
  )
}

export function svgOf({ width, height }: Size, body: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${body}</svg>`
}

function drawObject(object: SceneObject, { width, height }: Size): string {
  const { shape, color, x, y, size, rotation, isOutline } = object
  const scale = (Math.min(width, height) * size) / 2
  if (scale <= 0) return ''
  const turn = rotation === 0 ? '' : ` rotate(${round(rotation)})`
  return `<g transform="translate(${round(x * width)} ${round(y * height)})${turn} scale(${round(scale)})">${drawShape(shape, color, isOutline)}</g>`
}

/** On a plain background a text needs no halo. */
function drawSceneText(
  text: SceneText,
  background: Rgb | undefined,
  isBesideThings: boolean,
  canvas: Size,
): string {
  const color = text.color ?? readableOn(background ?? [255, 255, 255])
  const halo = background === undefined || isBesideThings ? { halo: readableOn(color) } : {}
  const place = textPlace(text, isBesideThings)
  return placedTextSvg(text.text, { ...text, ...halo, place, color }, canvas)
}

export interface PlacedStyle {
  readonly place: Place
  readonly color: Rgb
  readonly halo?: Rgb
  readonly opacity?: number
  /** Height of capitals as a part of the shorter side. Default 0.09, smaller if the text would not fit. */
  readonly part?: number
}

/** Text within the margins of a canvas, at one of nine places, in lines that fit. */
export function placedTextSvg(text: string, style: PlacedStyle, { width, height }: Size): string {
  const margin = Math.min(width, height) * 0.05
  const room = { width: width - 2 * margin, height: height - 2 * margin }
  let size = Math.max(4, Math.min(width, height) * (style.part ?? 0.09))
  let lines = wrapText(text, size, room.width)
  while (size > 4 && lines.length * lineHeight(size) > room.height * 0.9) {
    size *= 0.8
    lines = wrapText(text, size, room.width)
  }
  const widest = Math.max(...lines.map((line) => measureText(line, size)))
  const tall = (lines.length - 1) * lineHeight(size) + size
  const x = { left: margin + widest / 2, center: width / 2, right: width - margin - widest / 2 }[
    style.place.x
  ]
  const y = {
    top: margin,
    center: (height - tall) / 2,
    bottom: height - margin - tall - size * 0.3,
  }[style.place.y]
  const { place: _place, part: _part, ...look } = style
  return textSvg(lines, { x, y }, { ...look, size })
}
