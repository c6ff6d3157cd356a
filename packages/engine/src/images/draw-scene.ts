import { formatHex, mix, readableOn, type Rgb } from './colors.ts'
import {
  type ForeignDrawing,
  lineHeight,
  round,
  textSvg,
  wrapText,
  measureText,
} from './draw-text.ts'
import type { Place } from './edit-operations.ts'
import { type Random, randomFrom } from './random.ts'
import type { Ground, Scene, SceneObject, SceneText, Weather } from './scene.ts'
import { drawShape } from './shapes.ts'

export interface Canvas {
  readonly width: number
  readonly height: number
  readonly foreign: ForeignDrawing
}

/** The SVG of a scene. `phase` (0 to 1, default 0) moves waves, rain and clouds once around. */
export function sceneSvg(scene: Scene, canvas: Canvas, phase = 0): string {
  const { width, height } = canvas
  const random = randomFrom(scene.seed)
  const weather = scene.weather.map((kind) => drawWeather(kind, canvas, { random, phase }))
  const behind = scene.weather
    .map((kind, index) => (kind === 'stars' || kind === 'clouds' ? weather[index] : ''))
    .join('')
  const before = scene.weather
    .map((kind, index) => (kind === 'rain' || kind === 'snowfall' ? weather[index] : ''))
    .join('')
  const { high, low } = splitObjects(scene.objects)
  const parts = [
    drawBackground(scene, canvas),
    behind,
    high.map((object) => drawObject(object, canvas)).join(''),
    scene.grounds.map((ground) => drawGround(ground, canvas, { random, phase })).join(''),
    low.map((object) => drawObject(object, canvas)).join(''),
    before,
    scene.texts.map((text) => drawSceneText(text, scene, canvas)).join(''),
  ]
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${parts.join('')}</svg>`
}

/** The SVG of objects alone, on nothing. */
export function objectsSvg(objects: readonly SceneObject[], canvas: Canvas): string {
  const { width, height } = canvas
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${objects.map((object) => drawObject(object, canvas)).join('')}</svg>`
}

/** Sun, moon and stars are behind mountains and sea, so that they can rise from there. */
function splitObjects(objects: readonly SceneObject[]): {
  readonly high: readonly SceneObject[]
  readonly low: readonly SceneObject[]
} {
  const far = new Set<string>(['sun', 'moon', 'star', 'planet', 'rainbow', 'crescent'])
  return {
    high: objects.filter(({ shape }) => far.has(shape)),
    low: objects.filter(({ shape }) => !far.has(shape)),
  }
}

function drawBackground({ background }: Scene, { width, height }: Canvas): string {
  const { colors, isAcross } = background
  const [only] = colors
  if (only === undefined) return ''
  const rect = (fill: string): string =>
    `<rect width="${width}" height="${height}" fill="${fill}"/>`
  if (colors.length === 1) return rect(formatHex(only))
  const stops = colors.map(
    (color, index) =>
      `<stop offset="${round(index / (colors.length - 1))}" stop-color="${formatHex(color)}"/>`,
  )
  const end = isAcross ? 'x2="1" y2="0"' : 'x2="0" y2="1"'
  return `<defs><linearGradient id="ground" x1="0" y1="0" ${end}>${stops.join('')}</linearGradient></defs>${rect('url(#ground)')}`
}

function drawObject(object: SceneObject, { width, height }: Canvas): string {
  const { shape, color, x, y, size, rotation, isOutline, opacity } = object
  const scale = (Math.min(width, height) * size) / 2
  if (scale <= 0 || opacity <= 0) return ''
  const turn = rotation === 0 ? '' : ` rotate(${round(rotation)})`
  const faint = opacity < 1 ? ` opacity="${round(opacity)}"` : ''
  return `<g transform="translate(${round(x * width)} ${round(y * height)})${turn} scale(${round(scale)})"${faint}>${drawShape(shape, color, isOutline)}</g>`
}

interface Moment {
  readonly random: Random
  readonly phase: number
}

function drawGround(ground: Ground, canvas: Canvas, moment: Moment): string {
  const fill = `fill="${formatHex(ground.color)}"`
  const top = ground.top * canvas.height
  const band = `<rect y="${round(top)}" width="${canvas.width}" height="${round(canvas.height - top)}" ${fill}/>`
  switch (ground.kind) {
    case 'sea':
      return band + waves(ground, canvas, moment.phase)
    case 'mountains':
      return skyline(ground, canvas, moment.random, 5)
    case 'hills':
      return hills(ground, canvas)
    case 'city':
      return city(ground, canvas, moment.random)
    case 'forest':
      return skyline(ground, canvas, moment.random, 24)
    default:
      return band
  }
}

function waves({ color, top }: Ground, { width, height }: Canvas, phase: number): string {
  const rows = [0.12, 0.35, 0.62, 0.85].map((part, row) => {
    const y = (top + (1 - top) * part) * height
    const wave = width / (6 - row)
    const shift = (row % 2 === 0 ? phase : -phase) * wave
    const bumps = Array.from(
      { length: 9 },
      (_, index) =>
        `${index === 0 ? 'q' : 't'}${index === 0 ? `${round(wave / 4)} ${round(-height * 0.012)} ` : ''}${round(wave / 2)} 0`,
    )
    return `<path d="M${round(shift - wave)} ${round(y)}${bumps.join('')}${bumps.slice(1).join('')}"/>`
  })
  return `<g fill="none" stroke="${formatHex(mix(color, [255, 255, 255], 0.35))}" stroke-width="${round(height * 0.008)}">${rows.join('')}</g>`
}

function skyline(
  { color, top, kind }: Ground,
  { width, height }: Canvas,
  random: Random,
  count: number,
): string {
  const base = kind === 'forest' ? 0.75 : 0.8
  const peaks = Array.from({ length: count }, (_, index) => {
    const x = ((index + 0.5) / count) * width
    const reach = (width / count) * (kind === 'forest' ? 0.9 : 1.1)
    const peak = (top + random() * (base - top) * 0.45) * height
    const foot = base * height
    const snow =
      kind === 'mountains'
        ? `<polygon points="${round(x)},${round(peak)} ${round(x - reach * 0.22)},${round(peak + (foot - peak) * 0.22)} ${round(x + reach * 0.22)},${round(peak + (foot - peak) * 0.22)}" fill="#f4f7fb"/>`
        : ''
    const shade = formatHex(mix(color, [0, 0, 0], index % 2 === 0 ? 0 : 0.12))
    return `<polygon points="${round(x)},${round(peak)} ${round(x - reach)},${round(foot)} ${round(x + reach)},${round(foot)}" fill="${shade}"/>${snow}`
  })
  const floor = formatHex(mix(color, kind === 'forest' ? [20, 40, 20] : [90, 140, 80], 0.6))
  return `${peaks.join('')}<rect y="${round(base * height)}" width="${width}" height="${round((1 - base) * height + 1)}" fill="${floor}"/>`
}

function hills({ color, top }: Ground, { width, height }: Canvas): string {
  const hill = (cx: number, y: number, shade: number): string =>
    `<ellipse cx="${round(cx * width)}" cy="${height}" rx="${round(width * 0.65)}" ry="${round((1 - y) * height)}" fill="${formatHex(mix(color, [0, 0, 0], shade))}"/>`
  return hill(0.8, top, 0.15) + hill(0.15, top + 0.06, 0.08) + hill(0.55, top + 0.16, 0)
}

function city({ color, top }: Ground, { width, height }: Canvas, random: Random): string {
  const count = 12
  return Array.from({ length: count }, (_, index) => {
    const w = width / count
    const roof = (top + random() * 0.3) * height
    const body = `<rect x="${round(index * w)}" y="${round(roof)}" width="${round(w * 0.94)}" height="${round(height - roof)}" fill="${formatHex(mix(color, [0, 0, 0], random() * 0.3))}"/>`
    const windows = Array.from(
      { length: 8 },
      (_, at) =>
        `<rect x="${round(index * w + w * (at % 2 === 0 ? 0.18 : 0.55))}" y="${round(roof + (Math.floor(at / 2) + 0.5) * w * 0.45)}" width="${round(w * 0.2)}" height="${round(w * 0.2)}"/>`,
    )
    return `${body}<g fill="#ffe9a8" opacity=".8">${windows.join('')}</g>`
  }).join('')
}

function drawWeather(kind: Weather, { width, height }: Canvas, { random, phase }: Moment): string {
  const spots = Array.from({ length: kind === 'clouds' ? 5 : 90 }, () => ({
    x: random(),
    y: random(),
    z: random(),
  }))
  const unit = Math.min(width, height)
  switch (kind) {
    case 'stars':
      return `<g fill="#fff">${spots.map(({ x, y, z }) => `<circle cx="${round(x * width)}" cy="${round(y * height * 0.7)}" r="${round(unit * (0.001 + z * 0.003))}" opacity="${round(0.5 + 0.5 * Math.cos(2 * Math.PI * (phase * 3 + z)))}"/>`).join('')}</g>`
    case 'clouds':
      return spots
        .map(({ x, y, z }) =>
          drawObject(
            {
              shape: 'cloud',
              color: [255, 255, 255],
              x: ((x + phase) % 1.2) - 0.1,
              y: 0.06 + y * 0.3,
              size: 0.18 + z * 0.2,
              rotation: 0,
              isOutline: false,
              opacity: 0.9,
            },
            { width, height, foreign: 'box' },
          ),
        )
        .join('')
    case 'rain':
      return `<g stroke="#cfe2f5" stroke-width="${round(unit * 0.004)}" opacity=".7">${spots.map(({ x, y, z }) => `<path d="M${round(x * width)} ${round(((y + phase * 4) % 1) * height)}l${round(-unit * 0.01)} ${round(unit * (0.03 + z * 0.03))}"/>`).join('')}</g>`
    case 'snowfall':
      return `<g fill="#fff">${spots.map(({ x, y, z }) => `<circle cx="${round((x + Math.sin(2 * Math.PI * (phase + z)) * 0.02) * width)}" cy="${round(((y + phase) % 1) * height)}" r="${round(unit * (0.003 + z * 0.007))}"/>`).join('')}</g>`
  }
}

function drawSceneText(text: SceneText, { background }: Scene, canvas: Canvas): string {
  const [first = [255, 255, 255], second = first] = background.colors
  const under: Rgb = mix(first, second, text.place.y === 'bottom' ? 1 : 0.5)
  const color = text.color ?? readableOn(under)
  return placedTextSvg(text.text, { ...text, color, halo: readableOn(color) }, canvas)
}

export interface PlacedStyle {
  readonly place: Place
  readonly color: Rgb
  readonly halo: Rgb
  readonly opacity?: number
  /** Height of capitals as a part of the shorter side; default 0.09, smaller where the text would not fit. */
  readonly part?: number
}

/** Text within the margins of a canvas, at one of nine places, in lines that fit. */
export function placedTextSvg(
  text: string,
  style: PlacedStyle,
  { width, height, foreign }: Canvas,
): string {
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
  const { color, halo, opacity = 1 } = style
  return textSvg(lines, { x, y }, { size, color, halo, opacity, foreign })
}
