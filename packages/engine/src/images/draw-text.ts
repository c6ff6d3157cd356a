import { formatHex, type Rgb } from './colors.ts'
import { drawSvg } from './picture.ts'
import { type Glyph, glyphsOf } from './stroke-font.ts'

/** Heights in units of the stroke font. */
const capitalHeight = 6
const lineUnits = 11
const gapUnits = 1.7
const foreignUnits = 6

export interface TextStyle {
  /** Height of a capital letter, in pixels. */
  readonly size: number
  readonly color: Rgb
  /** Drawn around the strokes, so that text stands out on any ground. */
  readonly halo?: Rgb
  readonly opacity?: number
  /** How characters are drawn that the engine's own font lacks. */
  readonly foreign: ForeignDrawing
}

export type ForeignDrawing = 'system-font' | 'box'

/** Width of one line, in pixels. */
export function measureText(text: string, size: number): number {
  const glyphs = glyphsOf(text)
  if (glyphs.length === 0) return 0
  const units = glyphs.reduce((sum, glyph) => sum + widthOf(glyph) + gapUnits, -gapUnits)
  return (units * size) / capitalHeight
}

export function lineHeight(size: number): number {
  return (lineUnits * size) / capitalHeight
}

function widthOf(glyph: Glyph | string): number {
  return typeof glyph === 'string' ? foreignUnits : glyph.width
}

/** Breaks a text into lines of at most `widthMax` pixels, at blanks where there are any. */
export function wrapText(text: string, size: number, widthMax: number): readonly string[] {
  const lines: string[] = []
  for (const paragraph of text.split('\n')) {
    let line = ''
    for (const word of paragraph.split(/ +/).flatMap((word) => pieces(word, size, widthMax))) {
      const longer = line === '' ? word : `${line} ${word}`
      if (measureText(longer, size) <= widthMax || line === '') line = longer
      else {
        lines.push(line)
        line = word
      }
    }
    lines.push(line)
  }
  return lines
}

/** A word that is wider than the line, in pieces that are not. */
function pieces(word: string, size: number, widthMax: number): readonly string[] {
  if (measureText(word, size) <= widthMax) return [word]
  const found: string[] = []
  let piece = ''
  for (const character of word) {
    if (piece !== '' && measureText(piece + character, size) > widthMax) {
      found.push(piece)
      piece = ''
    }
    piece += character
  }
  return [...found, piece]
}

/** SVG of lines centred on `x`, the top of the first line's capitals at `y`. */
export function textSvg(
  lines: readonly string[],
  { x, y }: { readonly x: number; readonly y: number },
  style: TextStyle,
): string {
  const { size, color, halo, opacity = 1 } = style
  const drawn = lines.map((line, index) =>
    drawLine(line, x - measureText(line, size) / 2, y + index * lineHeight(size), style),
  )
  const path = drawn.map(({ path }) => path).join('')
  const foreign = drawn.map(({ foreign }) => foreign).join('')
  const weight = size / 6
  const stroke = (paint: Rgb, width: number): string =>
    `<path d="${path}" fill="none" stroke="${formatHex(paint)}" stroke-width="${round(width)}" stroke-linecap="round" stroke-linejoin="round"/>`
  const under = halo === undefined ? '' : stroke(halo, weight * 2.4)
  const group = `<g fill="${formatHex(color)}" font-family="sans-serif" font-size="${round(size * 1.3)}">${foreign}</g>`
  return `<g opacity="${round(opacity)}">${under}${stroke(color, weight)}${group}</g>`
}

function drawLine(
  line: string,
  left: number,
  top: number,
  { size, foreign }: TextStyle,
): { readonly path: string; readonly foreign: string } {
  const scale = size / capitalHeight
  let x = left
  let path = ''
  let others = ''
  for (const glyph of glyphsOf(line)) {
    if (typeof glyph === 'object') path += glyphPath(glyph, x, top, scale)
    else if (foreign === 'box') path += glyphPath(box, x, top, scale)
    else others += `<text x="${round(x)}" y="${round(top + size)}">${escapeXml(glyph)}</text>`
    x += (widthOf(glyph) + gapUnits) * scale
  }
  return { path, foreign: others }
}

const box: Glyph = {
  strokes: [
    [
      [0, 0],
      [5, 0],
      [5, 6],
      [0, 6],
      [0, 0],
    ],
  ],
  width: foreignUnits,
}

function glyphPath({ strokes }: Glyph, left: number, top: number, scale: number): string {
  return strokes
    .map((stroke) => {
      const points = stroke.map(([x, y]) => `${round(left + x * scale)} ${round(top + y * scale)}`)
      // A line of no length is drawn as a dot by the round ends.
      return points.length === 1 ? `M${points[0]}l.01 0` : `M${points.join('L')}`
    })
    .join('')
}

function escapeXml(text: string): string {
  return text.replaceAll(/[<>&"'\p{Cc}\p{Cs}]/gu, (character) =>
    /[<>&"']/.test(character) ? `&#${character.charCodeAt(0)};` : ' ',
  )
}

/** Two decimals are enough for a pixel. */
export function round(value: number): number {
  return Math.round(value * 100) / 100
}

let systemFontsDraw: Promise<boolean> | undefined

/** Decides how foreign characters of these texts can be drawn; asks the system for a font only if there are any. */
export async function foreignDrawingFor(...texts: readonly string[]): Promise<ForeignDrawing> {
  const hasForeign = texts.some((text) => glyphsOf(text).some((glyph) => typeof glyph === 'string'))
  if (!hasForeign) return 'box'
  systemFontsDraw ??= drawSvg(
    '<svg xmlns="http://www.w3.org/2000/svg" width="32" height="32"><text x="2" y="28" font-size="28">字</text></svg>',
  ).then(({ pixels }) => pixels.some((value) => value !== 0))
  return (await systemFontsDraw) ? 'system-font' : 'box'
}
