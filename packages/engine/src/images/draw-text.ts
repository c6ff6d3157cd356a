import { formatHex, type Rgb } from './colors.ts'

/** Metrics of the font relative to its size: the height of its capitals, and the width of each character. */
const capitalHeight = 0.66
const characterWidth = 0.6
const lineHeightInCapitals = 1.8
/** From this character on, scripts are as wide as they are high, in whichever font the system uses for them. */
const wide = /[\u{2e80}-\u{10ffff}]/u

export interface TextStyle {
  /** Height of a capital letter, in pixels. */
  readonly size: number
  readonly color: Rgb
  /** Colour of an outline around the letters, so that text is readable on any background. */
  readonly halo?: Rgb
  readonly opacity?: number
}

function widthPerCharacter(text: string, size: number): number {
  return ((wide.test(text) ? 1 : characterWidth) * size) / capitalHeight
}

/** Width of one line, in pixels. */
export function measureText(text: string, size: number): number {
  return [...text].length * widthPerCharacter(text, size)
}

export function lineHeight(size: number): number {
  return lineHeightInCapitals * size
}

/** Breaks a text into lines of at most `widthMax` pixels, at blanks if possible. */
export function wrapText(text: string, size: number, widthMax: number): readonly string[] {
  const most = Math.max(1, Math.floor(widthMax / widthPerCharacter(text, size)))
  const line = new RegExp(`.{1,${most}}(?:\\s+|$)|.{1,${most}}`, 'gu')
  return text
    .split('\n')
    .flatMap((paragraph) => (paragraph.match(line) ?? ['']).map((found) => found.trim()))
}

/** SVG of lines centred on `x`, with the top of the first line's capitals at `y`. */
export function textSvg(
  lines: readonly string[],
  { x, y }: { readonly x: number; readonly y: number },
  { size, color, halo, opacity = 1 }: TextStyle,
): string {
  const drawn = lines.map((line, index) => {
    const base = y + size + index * lineHeight(size)
    return `<tspan x="${round(x)}" y="${round(base)}">${escapeXml(line)}</tspan>`
  })
  const around =
    halo === undefined
      ? ''
      : ` stroke="${formatHex(halo)}" stroke-width="${round(size / 4)}" stroke-linejoin="round" paint-order="stroke"`
  return `<text font-family="Cousine" font-weight="bold" font-size="${round(size / capitalHeight)}" text-anchor="middle" xml:space="preserve" fill="${formatHex(color)}" opacity="${round(opacity)}"${around}>${drawn.join('')}</text>`
}

function escapeXml(text: string): string {
  return text.replaceAll(/[<>&"'\p{Cc}\p{Cs}]/gu, (character) =>
    /[<>&"']/.test(character) ? `&#${character.charCodeAt(0)};` : ' ',
  )
}

/** Two decimals are precise enough for a pixel. */
export function round(value: number): number {
  return Math.round(value * 100) / 100
}
