import type { Length } from './edit-operations.ts'
import { type Picture, pictureOf, pipelineOf, sizeWithin } from './picture.ts'
import { grayscale, invert, posterize, saturation } from './tones.ts'

function shorterSide({ width, height }: Picture): number {
  return Math.min(width, height)
}

/** A length in pixels of this picture, at least 1. */
export function pixelsOf(length: Length, picture: Picture): number {
  const pixels = 'pixels' in length ? length.pixels : length.part * shorterSide(picture)
  return Math.max(1, Math.round(pixels))
}

/** Gaussian; at 0.5 a little more than a hundredth of the shorter side, so that it shows alike at any size. */
export async function blur(picture: Picture, strength: number): Promise<Picture> {
  const sigma = Math.min(100, 0.6 + strength * (0.6 + shorterSide(picture) / 50))
  return pictureOf(pipelineOf(picture).blur(sigma))
}

/** Mixes each value with its blurred neighbour; `mix` gets both and returns the new one. */
async function againstBlur(
  picture: Picture,
  sigma: number,
  mix: (value: number, smooth: number) => number,
): Promise<Picture> {
  const smooth = await pictureOf(pipelineOf(picture).blur(sigma))
  const changed = new Uint8ClampedArray(picture.pixels)
  for (let index = 0; index < changed.length; index += 1)
    if (index % 4 !== 3) changed[index] = mix(changed[index] ?? 0, smooth.pixels[index] ?? 0)
  return { ...picture, pixels: new Uint8Array(changed.buffer) }
}

/** Unsharp mask. */
export async function sharpen(picture: Picture, strength: number): Promise<Picture> {
  return againstBlur(
    picture,
    1 + strength,
    (value, smooth) => value + (value - smooth) * strength * 2.4,
  )
}

/** Smooths small differences, which are noise, and keeps large ones, which are edges. */
export async function denoise(picture: Picture, strength: number): Promise<Picture> {
  const reach = 24 + 60 * strength
  return againstBlur(picture, 1 + strength * 2, (value, smooth) => {
    const difference = value - smooth
    return smooth + difference * Math.min(1, (difference / reach) ** 2)
  })
}

/** A median costs seconds on a large picture, and patches of one colour need no fine detail. */
const patchPixelsMax = 800_000

async function patches(picture: Picture, window: number): Promise<Picture> {
  const { width, height } = picture
  const small = sizeWithin(width, height, patchPixelsMax)
  const reduced = await pictureOf(pipelineOf(picture).resize({ ...small, fit: 'fill' }))
  // libvips refuses a window that is larger than the picture.
  if (shorterSide(reduced) < window) return picture
  const flat = await pictureOf(pipelineOf(reduced).median(window))
  return pictureOf(pipelineOf(flat).resize({ width, height, fit: 'fill' }))
}

/** Patches of one colour, as a brush leaves them. */
export async function paint(picture: Picture, strength: number): Promise<Picture> {
  const strokes = await patches(picture, strength > 0.4 ? 7 : 5)
  return saturation(posterize(strokes, 12), 0.25)
}

/** Nine weights, row by row, for a pixel and its neighbours. */
type Kernel = readonly [number, number, number, number, number, number, number, number, number]

/** Convolves the lightness; transparency stays. Beyond the border the nearest pixel repeats. */
function convolve(picture: Picture, kernel: Kernel, offset: number): Picture {
  const { width, height } = picture
  const light = grayscale(picture, 1).pixels
  const changed = new Uint8ClampedArray(light.length)
  for (let y = 0; y < height; y += 1) {
    const rows = [Math.max(0, y - 1), y, Math.min(height - 1, y + 1)].map((row) => row * width)
    const [above = 0, here = 0, below = 0] = rows
    for (let x = 0; x < width; x += 1) {
      const left = Math.max(0, x - 1)
      const right = Math.min(width - 1, x + 1)
      const at = (cell: number): number => light[cell * 4] ?? 0
      const sum =
        kernel[0] * at(above + left) +
        kernel[1] * at(above + x) +
        kernel[2] * at(above + right) +
        kernel[3] * at(here + left) +
        kernel[4] * at(here + x) +
        kernel[5] * at(here + right) +
        kernel[6] * at(below + left) +
        kernel[7] * at(below + x) +
        kernel[8] * at(below + right)
      const index = (here + x) * 4
      changed.fill(sum + offset, index, index + 3)
      changed[index + 3] = light[index + 3] ?? 255
    }
  }
  return { width, height, pixels: new Uint8Array(changed.buffer) }
}

export async function emboss(picture: Picture, strength: number): Promise<Picture> {
  const k = Math.min(2, strength * 2)
  return convolve(picture, [-k, -k / 2, 0, -k / 2, 0, k / 2, 0, k / 2, k], 128)
}

/** Bright lines on black (Laplacian of a slightly smoothed picture). */
export async function edges(picture: Picture): Promise<Picture> {
  const smooth = await pictureOf(pipelineOf(picture).blur(0.8))
  return convolve(smooth, [-2, -2, -2, -2, 16, -2, -2, -2, -2], 0)
}

/** Dark lines on white. */
export async function sketch(picture: Picture): Promise<Picture> {
  return invert(await edges(picture))
}

/** Few flat colours under dark lines. */
export async function cartoon(picture: Picture): Promise<Picture> {
  const flat = saturation(posterize(await patches(picture, 5), 6), 0.3)
  const lines = await edges(picture)
  const pixels = Uint8Array.from(flat.pixels)
  for (let index = 0; index < pixels.length; index += 1) {
    if (index % 4 === 3) continue
    const line = lines.pixels[index - (index % 4)] ?? 0
    pixels[index] = ((pixels[index] ?? 0) * (255 - Math.min(255, line * 1.5))) / 255
  }
  return { ...flat, pixels }
}

/** Blocks of one colour each. */
export async function pixelate(picture: Picture, size: Length): Promise<Picture> {
  const block = Math.max(2, pixelsOf(size, picture))
  const { width, height } = picture
  const small = {
    width: Math.max(1, Math.round(width / block)),
    height: Math.max(1, Math.round(height / block)),
  }
  const reduced = await pictureOf(
    pipelineOf(picture).resize({ ...small, fit: 'fill', kernel: 'lanczos3' }),
  )
  return pictureOf(pipelineOf(reduced).resize({ width, height, fit: 'fill', kernel: 'nearest' }))
}
