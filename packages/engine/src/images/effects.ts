import { lightness, type Rgb } from './colors.ts'
import type { Length } from './edit-operations.ts'
import { type Picture, pictureOf, pipelineOf } from './picture.ts'

/** Three rows of four: what red, green, blue and one (255) contribute to each channel. */
type Matrix = readonly [Row, Row, Row]
type Row = readonly [red: number, green: number, blue: number, plus: number]

const identity: Matrix = [
  [1, 0, 0, 0],
  [0, 1, 0, 0],
  [0, 0, 1, 0],
]
/** ITU-R BT.709. */
const gray: Row = [0.2126, 0.7152, 0.0722, 0]

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

/** Colours the light of the picture; at strength 1 only the one colour and its shades are left. */
export function tint(picture: Picture, color: Rgb, strength: number): Picture {
  // A dark colour would swallow the picture, so shades are measured from a middle lightness.
  const scale = Math.min(1.6, 0.75 / Math.max(0.2, lightness(color)))
  const row = (channel: number): Row => {
    const part = (channel / 255) * scale
    return [gray[0] * part, gray[1] * part, gray[2] * part, (channel / 255) * 0.12]
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

/** A length in pixels of this picture, at least 1. */
export function pixelsOf(length: Length, { width, height }: Picture): number {
  const pixels = 'pixels' in length ? length.pixels : length.part * Math.min(width, height)
  return Math.max(1, Math.round(pixels))
}

/** Gaussian; at 0.5 a little more than a hundredth of the shorter side, so that it shows alike at any size. */
export async function blur(picture: Picture, strength: number): Promise<Picture> {
  const side = Math.min(picture.width, picture.height)
  const sigma = Math.min(100, 0.6 + strength * (0.6 + side / 50))
  return pictureOf(pipelineOf(picture).blur(sigma))
}

/** Unsharp mask. */
export async function sharpen(picture: Picture, strength: number): Promise<Picture> {
  const smooth = await pictureOf(pipelineOf(picture).blur(1 + strength))
  const changed = new Uint8ClampedArray(picture.pixels)
  for (let index = 0; index < changed.length; index += 1) {
    const value = changed[index] ?? 0
    if (index % 4 !== 3)
      changed[index] = value + (value - (smooth.pixels[index] ?? 0)) * strength * 2.4
  }
  return { ...picture, pixels: new Uint8Array(changed.buffer) }
}

/** Blocks of one colour each. */
export async function pixelate(picture: Picture, size: Length): Promise<Picture> {
  const block = Math.max(2, pixelsOf(size, picture))
  const { width, height } = picture
  const small = {
    width: Math.max(1, Math.round(width / block)),
    height: Math.max(1, Math.round(height / block)),
  }
  const reduced = await pictureOf(pipelineOf(picture).resize({ ...small, fit: 'fill' }))
  return pictureOf(pipelineOf(reduced).resize({ width, height, fit: 'fill', kernel: 'nearest' }))
}
