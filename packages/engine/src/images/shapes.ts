import { formatHex, type Rgb } from './colors.ts'

/** A figure in a box from -1 to 1 on both axes: an SVG element without its closing `/>`, or a path drawn as a line. */
type Shape = {
  /** Its names in the singular. */
  readonly words: readonly string[]
  /** The default colour. */
  readonly color: Rgb
} & ({ readonly area: string } | { readonly line: string; readonly width: number })

function polygon(corners: number, depth = 1): string {
  const count = depth === 1 ? corners : corners * 2
  const points = Array.from({ length: count }, (_, index) => {
    const radius = depth !== 1 && index % 2 === 1 ? depth : 1
    const angle = (index / count) * 2 * Math.PI - Math.PI / 2
    return `${(radius * Math.cos(angle)).toFixed(3)},${(radius * Math.sin(angle)).toFixed(3)}`
  })
  return `<polygon points="${points.join(' ')}"`
}

const blue: Rgb = [52, 120, 214]

export const shapes = {
  circle: {
    words: ['circle', 'disc', 'disk', 'dot', 'ball'],
    color: [220, 60, 60],
    area: '<circle r="1"',
  },
  square: {
    words: ['square', 'box'],
    color: blue,
    area: '<rect x="-.9" y="-.9" width="1.8" height="1.8"',
  },
  rectangle: {
    words: ['rectangle'],
    color: blue,
    area: '<rect x="-1" y="-.6" width="2" height="1.2"',
  },
  oval: { words: ['oval', 'ellipse'], color: blue, area: '<ellipse rx="1" ry=".65"' },
  triangle: {
    words: ['triangle'],
    color: [60, 160, 80],
    area: '<polygon points="0,-.95 1,.85 -1,.85"',
  },
  diamond: {
    words: ['diamond', 'rhombus'],
    color: [80, 190, 220],
    area: '<polygon points="0,-1 .75,0 0,1 -.75,0"',
  },
  pentagon: { words: ['pentagon'], color: blue, area: polygon(5) },
  hexagon: { words: ['hexagon'], color: [240, 170, 40], area: polygon(6) },
  octagon: { words: ['octagon'], color: blue, area: polygon(8) },
  star: { words: ['star'], color: [255, 206, 50], area: polygon(5, 0.42) },
  cross: {
    words: ['cross', 'plus sign'],
    color: [210, 50, 50],
    area: '<path d="M-.3-1H.3V-.3H1V.3H.3V1H-.3V.3H-1V-.3H-.3Z"',
  },
  arrow: { words: ['arrow'], color: blue, area: '<path d="M-1-.25H.2V-.7L1 0 .2.7V.25H-1Z"' },
  heart: {
    words: ['heart'],
    color: [225, 40, 80],
    area: '<path d="M0 .95C-1.6-.1-1-1.05-.45-.95-.2-.9 0-.65 0-.5 0-.65.2-.9.45-.95 1-1.05 1.6-.1 0 .95Z"',
  },
  crescent: {
    words: ['crescent'],
    color: [250, 240, 190],
    area: '<path d="M.3-.95A1 1 0 1 0 .3.95.8.8 0 1 1 .3-.95Z"',
  },
  line: { words: ['line', 'stripe'], color: [40, 40, 40], line: '<path d="M-1 0H1"', width: 0.1 },
  ring: { words: ['ring'], color: [230, 170, 40], line: '<circle r=".75"', width: 0.4 },
} as const satisfies Readonly<Record<string, Shape>>

export type ShapeName = keyof typeof shapes

// The keys of a literal table are its names.
export const shapeNames = Object.keys(shapes) as readonly ShapeName[]

const names: ReadonlyMap<string, ShapeName> = new Map(
  shapeNames.flatMap((name) => shapes[name].words.map((word) => [word, name] as const)),
)

/** The source of a regular expression that matches the name of a shape, in the singular or the plural. */
export const shapePattern = `(?:${[...names.keys()].join('|')}|boxes|crosses|rhombuses)(?:s|es)?`

/** The shape for a word that `shapePattern` matches. */
export function shapeNamed(word: string): ShapeName | undefined {
  return names.get(word) ?? names.get(word.replace(/s$/, '')) ?? names.get(word.replace(/es$/, ''))
}

/** The drawing of a shape in its box of -1 to 1. */
export function drawShape(name: ShapeName, color: Rgb): string {
  const shape: Shape = shapes[name]
  const ink = formatHex(color)
  return 'line' in shape
    ? `${shape.line} fill="none" stroke="${ink}" stroke-width="${shape.width}"/>`
    : `${shape.area} fill="${ink}"/>`
}
