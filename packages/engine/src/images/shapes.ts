import { formatHex, mix, type Rgb } from './colors.ts'
import type { Shape } from './shape.ts'
import { figures } from './shapes-figures.ts'

const blue: Rgb = [52, 120, 214]

function polygon(corners: number, depth = 1): string {
  const count = depth === 1 ? corners : corners * 2
  const points = Array.from({ length: count }, (_, index) => {
    const radius = depth !== 1 && index % 2 === 1 ? depth : 1
    const angle = (index / count) * 2 * Math.PI - Math.PI / 2
    return `${(radius * Math.cos(angle)).toFixed(3)},${(radius * Math.sin(angle)).toFixed(3)}`
  })
  return `<polygon points="${points.join(' ')}"`
}

function plain(words: readonly string[], element: string, color: Rgb = blue): Shape {
  return { words, color, home: 'anywhere', draw: ({ paint }) => `${element} ${paint}/>` }
}

const geometry = {
  circle: plain(
    ['circle', 'disc', 'disk', 'dot', 'ball', 'sphere', 'orb', '圆形', '圆'],
    '<circle r="1"',
    [220, 60, 60],
  ),
  square: plain(
    ['square', 'cube', 'box', 'block', '正方形', '方块'],
    '<rect x="-.9" y="-.9" width="1.8" height="1.8"',
  ),
  rectangle: plain(
    ['rectangle', 'bar', 'banner', '长方形'],
    '<rect x="-1" y="-.6" width="2" height="1.2"',
  ),
  oval: plain(['oval', 'ellipse', 'egg'], '<ellipse rx="1" ry=".65"'),
  triangle: plain(
    ['triangle', 'pyramid', '三角形'],
    '<polygon points="0,-.95 1,.85 -1,.85"',
    [60, 160, 80],
  ),
  diamond: plain(
    ['diamond', 'rhombus', 'gem'],
    '<polygon points="0,-1 .75,0 0,1 -.75,0"',
    [80, 190, 220],
  ),
  pentagon: plain(['pentagon'], polygon(5)),
  hexagon: plain(['hexagon', 'honeycomb'], polygon(6), [240, 170, 40]),
  octagon: plain(['octagon'], polygon(8)),
  star: { ...plain(['star', '星星', '星'], polygon(5, 0.42), [255, 206, 50]), home: 'sky' },
  cross: plain(
    ['cross', 'plus sign', 'plus'],
    '<path d="M-.3-1H.3V-.3H1V.3H.3V1H-.3V.3H-1V-.3H-.3Z"',
    [210, 50, 50],
  ),
  arrow: plain(['arrow'], '<path d="M-1-.25H.2V-.7L1 0 .2.7V.25H-1Z"'),
  heart: plain(
    ['heart', 'love heart', '爱心', '心'],
    '<path d="M0 .95C-1.6-.1-1-1.05-.45-.95-.2-.9 0-.65 0-.5 0-.65.2-.9.45-.95 1-1.05 1.6-.1 0 .95Z"',
    [225, 40, 80],
  ),
  line: {
    words: ['line', 'stripe', 'stick'],
    color: [40, 40, 40],
    home: 'anywhere',
    draw: ({ fill }) => `<rect x="-1" y="-.05" width="2" height=".1" fill="${fill}"/>`,
  },
  ring: {
    words: ['ring', 'hoop', 'donut', 'doughnut', 'torus'],
    color: [230, 170, 40],
    home: 'anywhere',
    draw: ({ fill }) => `<circle r=".75" fill="none" stroke="${fill}" stroke-width=".4"/>`,
  },
  spiral: {
    words: ['spiral', 'swirl'],
    color: [120, 60, 180],
    home: 'anywhere',
    draw: ({ fill }) =>
      `<path d="M0 0A.2.2 0 0 1 .2.2.45.45 0 0 1-.5 0 .7.7 0 0 1 .6-.3.8.8 0 0 1 .3.8.95.95 0 0 1-.9.1" fill="none" stroke="${fill}" stroke-width=".14" stroke-linecap="round"/>`,
  },
  crescent: {
    ...plain(['crescent'], '<path d="M.3-.95A1 1 0 1 0 .3.95.8.8 0 1 1 .3-.95Z"', [250, 240, 190]),
    home: 'sky',
  },
} as const satisfies Readonly<Record<string, Shape>>

/** Everything the composer can draw. */
export const shapes = { ...geometry, ...figures } as const satisfies Readonly<Record<string, Shape>>

export type ShapeName = keyof typeof shapes

export const shapeNames = Object.keys(shapes) as readonly ShapeName[]

/** The drawing of a shape in its box of -1 to 1. */
export function drawShape(name: ShapeName, color: Rgb, isOutline: boolean): string {
  const fill = formatHex(color)
  const paint = isOutline
    ? `fill="none" stroke="${fill}" stroke-width=".1" stroke-linejoin="round"`
    : `fill="${fill}"`
  return shapes[name].draw({
    paint,
    fill,
    shade: formatHex(mix(color, [0, 0, 0], 0.35)),
    light: formatHex(mix(color, [255, 255, 255], 0.45)),
  })
}
