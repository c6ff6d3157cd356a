import cssColors from 'color-name'

/** Red, green and blue, each 0 to 255. */
export type Rgb = readonly [red: number, green: number, blue: number]

const named: ReadonlyMap<string, Rgb> = new Map([
  ...Object.entries(cssColors),
  ['navyblue', cssColors['navy'] ?? [0, 0, 128]],
])

/** The longest names first; those of two words may be written apart. */
const names = [...named.keys()]
  .toSorted((a, b) => b.length - a.length)
  .map((name) =>
    name.replace(/^(?:dark|light|deep|pale|medium|hot|sky|navy|lime|forest|royal)(?=.)/, '$&[ -]?'),
  )
  .join('|')

/**
 * The source of a regular expression (flag i, no groups) that matches a color as people write it: a CSS name, also as two
 * words, or in hexadecimal.
 */
export const colorPattern = `(?:#[0-9a-f]{6}\\b|#[0-9a-f]{3}\\b|\\b(?:${names})\\b)`

/** Reads a color that `colorPattern` matches; undefined for anything else. */
export function parseColor(text: string): Rgb | undefined {
  const word = text.toLowerCase().replaceAll(/[\s-]/g, '')
  const hex = /^#([0-9a-f]{3}|[0-9a-f]{6})$/.exec(word)?.[1]
  return hex === undefined ? named.get(word) : fromHex(hex)
}

function fromHex(hex: string): Rgb {
  const full = hex.length === 3 ? hex.replaceAll(/./g, '$&$&') : hex
  const value = Number.parseInt(full, 16)
  return [value >> 16, (value >> 8) & 255, value & 255]
}

export function formatHex([red, green, blue]: Rgb): string {
  return `#${((red << 16) | (green << 8) | blue).toString(16).padStart(6, '0')}`
}

export const white: Rgb = [255, 255, 255]

/** Black on a light color, white on a dark one; brightness is weighed as the eye perceives it (ITU-R BT.709). */
export function readableOn([red, green, blue]: Rgb): Rgb {
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 140 ? [17, 17, 17] : white
}
