import cssColors from 'color-name'

/** Red, green and blue, each 0 to 255. */
export type Rgb = readonly [red: number, green: number, blue: number]

/** Names of colours that CSS does not define. */
const moreColors = `golden ffd700 scarlet ff2400 cream fffdd0 mint 98ff98 amber ffbf00 emerald 50c878 burgundy 800020
mustard ffdb58 peach ffcba4 lilac c8a2c8 bronze cd7f32`

const named: ReadonlyMap<string, Rgb> = new Map([
  ...Object.entries(cssColors),
  ...Array.from(
    moreColors.matchAll(/(\S+) ([0-9a-f]{6})/g),
    ([, name = '', hex = '']) => [name, fromHex(hex)] as const,
  ),
])

/** How far a word moves a colour toward white, or, if negative, toward black. */
const shades: ReadonlyMap<string, number> = new Map([
  ['light', 0.5],
  ['pale', 0.6],
  ['pastel', 0.55],
  ['soft', 0.4],
  ['dark', -0.45],
  ['deep', -0.35],
  ['bright', 0.1],
  ['neon', 0.15],
  ['vivid', 0],
])

const byLength = [...named.keys()].toSorted((a, b) => b.length - a.length).join('|')

/**
 * The source of a regular expression (flag i, no groups) that matches a colour as people write it: a CSS name, also as two
 * words, with a shade word, or in hexadecimal.
 */
export const colorPattern = `(?:#[0-9a-f]{6}\\b|#[0-9a-f]{3}\\b|(?:(?:${[...shades.keys()].join('|')})[ -]?)?(?:\\b|(?<=light|pale|dark|deep))(?:sky blue|navy blue|hot pink|lime green|forest green|royal blue|${byLength})\\b)`

/** Reads a colour that `colorPattern` matches; undefined for anything else. */
export function parseColor(text: string): Rgb | undefined {
  const word = text.toLowerCase().replaceAll(/[\s-]/g, '')
  const hex = /^#([0-9a-f]{3}|[0-9a-f]{6})$/.exec(word)?.[1]
  if (hex !== undefined) return fromHex(hex)
  const known = named.get(word) ?? named.get(word.replace(/blue$/, ''))
  if (known !== undefined) return known
  for (const [shade, part] of shades) {
    const color = word.startsWith(shade) ? parseColor(word.slice(shade.length)) : undefined
    if (color === undefined) continue
    const channel = (value: number): number =>
      Math.round(value + ((part > 0 ? 255 : 0) - value) * Math.abs(part))
    return [channel(color[0]), channel(color[1]), channel(color[2])]
  }
  return undefined
}

function fromHex(hex: string): Rgb {
  const full = hex.length === 3 ? hex.replaceAll(/./g, '$&$&') : hex
  const value = Number.parseInt(full, 16)
  return [value >> 16, (value >> 8) & 255, value & 255]
}

export function formatHex([red, green, blue]: Rgb): string {
  return `#${((red << 16) | (green << 8) | blue).toString(16).padStart(6, '0')}`
}

/** Black on a light colour, white on a dark one; brightness is weighed as the eye perceives it (ITU-R BT.709). */
export function readableOn([red, green, blue]: Rgb): Rgb {
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 140 ? [17, 17, 17] : [255, 255, 255]
}
