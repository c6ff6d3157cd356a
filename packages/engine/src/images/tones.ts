import { lightness, type Rgb } from './colors.ts'
import type { Picture } from './picture.ts'
import { randomFrom } from './random.ts'

/** Three rows of four: what red, green, blue and one (255) contribute to each channel. */
type Matrix = readonly [Row, Row, Row]
type Row = readonly [red: number, green: number, blue: number, plus: number]

const identity: Matrix = [
  [1, 0, 0, 0],
  [0, 1, 0, 0],
  [0, 0, 1, 0],
]
const luma: readonly [number, number, number] = [0.2126, 0.7152, 0.0722]

function applyMatrix({ width, height, pixels }: Picture, [r, g, b]: Matrix): Picture {
  // Clamped arrays round and bound by themselves.
  const changed = new Uint8ClampedArray(pixels.length)
  for (let index = 0; index < pixels.length; index += 4) {
    const red = pixels[index] ?? 0
    const green = pixels[index + 1] ?? 0
    const blue = pixels[index + 2] ?? 0
    changed[index] = r[0] * red + r[1] * green + r[2] * blue + r[3] * 255
    changed[index + 1] = g[0] * red + g[1] * green + g[2] * blue + g[3] * 255
    changed[index + 2] = b[0] * red + b[1] * green + b[2] * blue + b[3] * 255
    changed[index + 3] = pixels[index + 3] ?? 0
  }
  return { width, height, pixels: new Uint8Array(changed.buffer) }
}

function applyCurve(picture: Picture, curve: (value: number) => number): Picture {
  const table = Uint8ClampedArray.from({ length: 256 }, (_, value) => curve(value))
  const pixels = Uint8Array.from(picture.pixels)
  for (let index = 0; index < pixels.length; index += 1)
    if (index % 4 !== 3) pixels[index] = table[pixels[index] ?? 0] ?? 0
  return { ...picture, pixels }
}

function blend(from: Matrix, to: Matrix, part: number): Matrix {
  const row = (a: Row, b: Row): Row => [
    a[0] + (b[0] - a[0]) * part,
    a[1] + (b[1] - a[1]) * part,
    a[2] + (b[2] - a[2]) * part,
    a[3] + (b[3] - a[3]) * part,
  ]
  return [row(from[0], to[0]), row(from[1], to[1]), row(from[2], to[2])]
}

const gray: Row = [...luma, 0]

/** `strength` 0 changes nothing, 1 leaves no colour. */
export function grayscale(picture: Picture, strength: number): Picture {
  return applyMatrix(picture, blend(identity, [gray, gray, gray], Math.min(1, strength)))
}

/** The W3C filter effects matrix (Filter Effects 1, sepia). */
export function sepia(picture: Picture, strength: number): Picture {
  const brown: Matrix = [
    [0.393, 0.769, 0.189, 0],
    [0.349, 0.686, 0.168, 0],
    [0.272, 0.534, 0.131, 0],
  ]
  return applyMatrix(picture, blend(identity, brown, Math.min(1, strength)))
}

/** -1 leaves no colour, 0 changes nothing, 1 doubles the distance from gray. */
export function saturation(picture: Picture, amount: number): Picture {
  return applyMatrix(picture, blend([gray, gray, gray], identity, Math.max(0, 1 + amount)))
}

/** Positive is more red and less blue. */
export function warmth(picture: Picture, amount: number): Picture {
  const shift = Math.max(-1, Math.min(1, amount)) * 0.3
  return applyMatrix(picture, [
    [1 + shift, 0, 0, 0],
    [0, 1 + shift * 0.2, 0, 0],
    [0, 0, 1 - shift, 0],
  ])
}

/** Turns all hues (Filter Effects 1, hue-rotate). */
export function hue(picture: Picture, degrees: number): Picture {
  const cos = Math.cos((degrees * Math.PI) / 180)
  const sin = Math.sin((degrees * Math.PI) / 180)
  return applyMatrix(picture, [
    [
      0.213 + cos * 0.787 - sin * 0.213,
      0.715 - cos * 0.715 - sin * 0.715,
      0.072 - cos * 0.072 + sin * 0.928,
      0,
    ],
    [
      0.213 - cos * 0.213 + sin * 0.143,
      0.715 + cos * 0.285 + sin * 0.14,
      0.072 - cos * 0.072 - sin * 0.283,
      0,
    ],
    [
      0.213 - cos * 0.213 - sin * 0.787,
      0.715 - cos * 0.715 + sin * 0.715,
      0.072 + cos * 0.928 + sin * 0.072,
      0,
    ],
  ])
}

/** Colours the light of the picture; at strength 1 only the one colour and its shades are left. */
export function tint(picture: Picture, color: Rgb, strength: number): Picture {
  // A dark colour would swallow the picture, so shades are measured from a middle lightness.
  const scale = Math.min(1.6, 0.75 / Math.max(0.2, lightness(color)))
  const row = (channel: number): Row => {
    const part = (channel / 255) * scale
    return [luma[0] * part, luma[1] * part, luma[2] * part, (channel / 255) * 0.12]
  }
  const colored: Matrix = [row(color[0]), row(color[1]), row(color[2])]
  return applyMatrix(picture, blend(identity, colored, Math.min(1, strength)))
}

export function invert(picture: Picture): Picture {
  return applyCurve(picture, (value) => 255 - value)
}

/** -1 is black, 0 changes nothing, 1 is a strong gain. */
export function brightness(picture: Picture, amount: number): Picture {
  const gain = amount < 0 ? Math.max(0, 1 + amount) : 1 + amount * 0.6
  const lift = amount > 0 ? amount * 16 : 0
  return applyCurve(picture, (value) => value * gain + lift)
}

/** -1 is flat gray, 0 changes nothing, 1 is strong. */
export function contrast(picture: Picture, amount: number): Picture {
  const slope = amount < 0 ? Math.max(0, 1 + amount) : 1 + amount * 1.5
  return applyCurve(picture, (value) => (value - 128) * slope + 128)
}

export function posterize(picture: Picture, levels: number): Picture {
  const steps = Math.max(2, Math.round(levels)) - 1
  return applyCurve(picture, (value) => (Math.round((value / 255) * steps) / steps) * 255)
}

export function solarize(picture: Picture): Picture {
  return applyCurve(picture, (value) => (value > 127 ? 255 - value : value))
}

export function threshold(picture: Picture, level: number): Picture {
  return applyCurve(grayscale(picture, 1), (value) => (value >= level ? 255 : 0))
}

/** Stretches the tones to the full range, leaving a hundredth of the pixels beyond either end. */
export function normalize(picture: Picture): Picture {
  const counts = new Uint32Array(256)
  const light = grayscale(picture, 1).pixels
  for (let index = 0; index < light.length; index += 4) {
    const level = light[index] ?? 0
    counts[level] = (counts[level] ?? 0) + 1
  }
  const low = levelAt(counts, 0.01)
  const high = levelAt(counts, 0.99)
  return high - low < 2
    ? picture
    : applyCurve(picture, (value) => ((value - low) * 255) / (high - low))
}

/** The level below which this part of all pixels lies. */
function levelAt(counts: Uint32Array, part: number): number {
  const wanted = counts.reduce((sum, count) => sum + count, 0) * part
  let seen = 0
  return counts.findIndex((count) => (seen += count) >= wanted)
}

/** Darkens from the middle outwards. */
export function vignette({ width, height, pixels }: Picture, strength: number): Picture {
  const changed = Uint8Array.from(pixels)
  const reach = Math.hypot(width, height) / 2
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const distance = Math.hypot(x - width / 2, y - height / 2) / reach
      const light = Math.max(
        0,
        1 - Math.min(1.6, strength * 1.6) * Math.max(0, distance - 0.25) ** 1.5,
      )
      const index = (y * width + x) * 4
      for (let channel = index; channel < index + 3; channel += 1)
        changed[channel] = (changed[channel] ?? 0) * light
    }
  }
  return { width, height, pixels: changed }
}

/** Adds noise of the same lightness to all channels; the same seed gives the same grain. */
export function grain({ width, height, pixels }: Picture, strength: number, seed: string): Picture {
  const changed = new Uint8ClampedArray(pixels)
  const random = randomFrom(seed)
  const reach = 110 * Math.min(1.5, strength)
  for (let index = 0; index < changed.length; index += 4) {
    const noise = (random() - 0.5) * reach
    for (let channel = index; channel < index + 3; channel += 1)
      changed[channel] = (changed[channel] ?? 0) + noise
  }
  return { width, height, pixels: new Uint8Array(changed.buffer) }
}

/** Moves pixels that are near one colour to another, keeping their shade. */
export function recolor({ width, height, pixels }: Picture, from: Rgb, to: Rgb): Picture {
  const changed = new Uint8ClampedArray(pixels)
  const nearness = nearnessTo(from)
  const base = Math.max(0.15, lightness(from))
  for (let index = 0; index < pixels.length; index += 4) {
    const color: Rgb = [pixels[index] ?? 0, pixels[index + 1] ?? 0, pixels[index + 2] ?? 0]
    const part = nearness(color)
    if (part <= 0) continue
    const shade = Math.min(1.5, lightness(color) / base)
    for (let channel = 0; channel < 3; channel += 1) {
      const target = (to[channel] ?? 0) * shade
      changed[index + channel] = (color[channel] ?? 0) * (1 - part) + target * part
    }
  }
  return { width, height, pixels: new Uint8Array(changed.buffer) }
}

/** How much a colour belongs to another, 0 to 1: by hue where that has one, else by lightness and lack of hue. */
function nearnessTo(from: Rgb): (color: Rgb) => number {
  const own = hueOf(from)
  if (own.chroma < 0.15) {
    return (color) => {
      const { chroma } = hueOf(color)
      const apart =
        Math.abs(lightness(color) - lightness(from)) / 0.3 + Math.max(0, chroma - 0.1) / 0.15
      return Math.min(1, Math.max(0, 1.5 - apart * 1.5))
    }
  }
  return (color) => {
    const { degrees, chroma } = hueOf(color)
    const apart = Math.abs(((degrees - own.degrees + 540) % 360) - 180)
    const byHue = Math.min(1, Math.max(0, (45 - apart) / 20))
    return byHue * Math.min(1, Math.max(0, (chroma - 0.08) / 0.15))
  }
}

function hueOf([red, green, blue]: Rgb): { readonly degrees: number; readonly chroma: number } {
  const high = Math.max(red, green, blue)
  const range = high - Math.min(red, green, blue)
  if (range === 0) return { degrees: 0, chroma: 0 }
  const sixth =
    high === red
      ? (green - blue) / range
      : high === green
        ? 2 + (blue - red) / range
        : 4 + (red - green) / range
  return { degrees: (sixth * 60 + 360) % 360, chroma: range / 255 }
}
