/** Red, green and blue, each 0 to 255. */
export type Rgb = readonly [red: number, green: number, blue: number]

/** The named colours of CSS Color Module Level 4, section 6.1. */
const table = `aliceblue f0f8ff antiquewhite faebd7 aqua 00ffff aquamarine 7fffd4 azure f0ffff beige f5f5dc
bisque ffe4c4 black 000000 blanchedalmond ffebcd blue 0000ff blueviolet 8a2be2 brown a52a2a burlywood deb887
cadetblue 5f9ea0 chartreuse 7fff00 chocolate d2691e coral ff7f50 cornflowerblue 6495ed cornsilk fff8dc
crimson dc143c cyan 00ffff darkblue 00008b darkcyan 008b8b darkgoldenrod b8860b darkgray a9a9a9 darkgreen 006400
darkgrey a9a9a9 darkkhaki bdb76b darkmagenta 8b008b darkolivegreen 556b2f darkorange ff8c00 darkorchid 9932cc
darkred 8b0000 darksalmon e9967a darkseagreen 8fbc8f darkslateblue 483d8b darkslategray 2f4f4f
darkslategrey 2f4f4f darkturquoise 00ced1 darkviolet 9400d3 deeppink ff1493 deepskyblue 00bfff dimgray 696969
dimgrey 696969 dodgerblue 1e90ff firebrick b22222 floralwhite fffaf0 forestgreen 228b22 fuchsia ff00ff
gainsboro dcdcdc ghostwhite f8f8ff gold ffd700 goldenrod daa520 gray 808080 green 008000 greenyellow adff2f
grey 808080 honeydew f0fff0 hotpink ff69b4 indianred cd5c5c indigo 4b0082 ivory fffff0 khaki f0e68c
lavender e6e6fa lavenderblush fff0f5 lawngreen 7cfc00 lemonchiffon fffacd lightblue add8e6 lightcoral f08080
lightcyan e0ffff lightgoldenrodyellow fafad2 lightgray d3d3d3 lightgreen 90ee90 lightgrey d3d3d3 lightpink ffb6c1
lightsalmon ffa07a lightseagreen 20b2aa lightskyblue 87cefa lightslategray 778899 lightslategrey 778899
lightsteelblue b0c4de lightyellow ffffe0 lime 00ff00 limegreen 32cd32 linen faf0e6 magenta ff00ff maroon 800000
mediumaquamarine 66cdaa mediumblue 0000cd mediumorchid ba55d3 mediumpurple 9370db mediumseagreen 3cb371
mediumslateblue 7b68ee mediumspringgreen 00fa9a mediumturquoise 48d1cc mediumvioletred c71585
midnightblue 191970 mintcream f5fffa mistyrose ffe4e1 moccasin ffe4b5 navajowhite ffdead navy 000080
oldlace fdf5e6 olive 808000 olivedrab 6b8e23 orange ffa500 orangered ff4500 orchid da70d6 palegoldenrod eee8aa
palegreen 98fb98 paleturquoise afeeee palevioletred db7093 papayawhip ffefd5 peachpuff ffdab9 peru cd853f
pink ffc0cb plum dda0dd powderblue b0e0e6 purple 800080 rebeccapurple 663399 red ff0000 rosybrown bc8f8f
royalblue 4169e1 saddlebrown 8b4513 salmon fa8072 sandybrown f4a460 seagreen 2e8b57 seashell fff5ee sienna a0522d
silver c0c0c0 skyblue 87ceeb slateblue 6a5acd slategray 708090 slategrey 708090 snow fffafa springgreen 00ff7f
steelblue 4682b4 tan d2b48c teal 008080 thistle d8bfd8 tomato ff6347 turquoise 40e0d0 violet ee82ee wheat f5deb3
white ffffff whitesmoke f5f5f5 yellow ffff00 yellowgreen 9acd32`

/** Words for colours that CSS does not name. */
const moreTable = `golden ffd700 scarlet ff2400 cream fffdd0 mint 98ff98 amber ffbf00 emerald 50c878 burgundy 800020
mustard ffdb58 peach ffcba4 lilac c8a2c8 bronze cd7f32`

const named: ReadonlyMap<string, string> = new Map(
  Array.from(
    `${table} ${moreTable}`.matchAll(/(\S+) ([0-9a-f]{6})/g),
    ([, name = '', hex = '']) => [name, hex],
  ),
)

const shades: ReadonlyMap<string, { readonly toward: Rgb; readonly part: number }> = new Map([
  ['light', { toward: [255, 255, 255], part: 0.5 }],
  ['pale', { toward: [255, 255, 255], part: 0.6 }],
  ['pastel', { toward: [255, 255, 255], part: 0.55 }],
  ['soft', { toward: [255, 255, 255], part: 0.4 }],
  ['dark', { toward: [0, 0, 0], part: 0.45 }],
  ['deep', { toward: [0, 0, 0], part: 0.35 }],
  ['bright', { toward: [255, 255, 255], part: 0.1 }],
  ['neon', { toward: [255, 255, 255], part: 0.15 }],
  ['vivid', { toward: [0, 0, 0], part: 0 }],
])

const byLength = [...named.keys()].toSorted((a, b) => b.length - a.length).join('|')

/**
 * The source of a regular expression (flag i) without groups that matches a colour as people write it: a CSS name,
 * also in two words, with a shade word, or in hexadecimal.
 */
export const colorPattern = `(?:#[0-9a-f]{6}\\b|#[0-9a-f]{3}\\b|(?:(?:${[...shades.keys()].join('|')})[ -]?)?(?:\\b|(?<=light|pale|dark|deep))(?:sky blue|navy blue|hot pink|lime green|forest green|royal blue|${byLength})\\b)`

/** Reads a colour that `colorPattern` matches; undefined for anything else. */
export function parseColor(text: string): Rgb | undefined {
  const word = text.trim().toLowerCase()
  const hex = /^#([0-9a-f]{3}|[0-9a-f]{6})$/.exec(word)?.[1]
  if (hex !== undefined) return fromHex(hex)
  const known = named.get(word.replaceAll(/[\s-]/g, '')) ?? named.get(word.replace(/ blue$/, ''))
  if (known !== undefined) return fromHex(known)
  const [, shade = '', rest = ''] = /^([a-z]+)[ -]?(.+)$/.exec(word.replace('-', ' ')) ?? []
  return shaded(word, shade, rest)
}

function shaded(word: string, first: string, rest: string): Rgb | undefined {
  for (const [name, { toward, part }] of shades) {
    if (!word.startsWith(name)) continue
    const color = parseColor(first === name ? rest : word.slice(name.length))
    if (color !== undefined) return mix(color, toward, part)
  }
  return undefined
}

function fromHex(hex: string): Rgb {
  const full = hex.length === 3 ? hex.replaceAll(/./g, '$&$&') : hex
  const value = Number.parseInt(full, 16)
  return [value >> 16, (value >> 8) & 255, value & 255]
}

/** `part` 0 gives the first colour, 1 the second. */
function mix(from: Rgb, to: Rgb, part: number): Rgb {
  const channel = (a: number, b: number): number => Math.round(a + (b - a) * part)
  return [channel(from[0], to[0]), channel(from[1], to[1]), channel(from[2], to[2])]
}

export function formatHex([red, green, blue]: Rgb): string {
  return `#${((red << 16) | (green << 8) | blue).toString(16).padStart(6, '0')}`
}

/** Relative lightness as the eye weighs the channels (ITU-R BT.709), 0 to 1. */
function lightness([red, green, blue]: Rgb): number {
  return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255
}

/** Black on a light colour, white on a dark one. */
export function readableOn(background: Rgb): Rgb {
  return lightness(background) > 0.55 ? [17, 17, 17] : [255, 255, 255]
}
