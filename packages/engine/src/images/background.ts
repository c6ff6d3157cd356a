import type { Rgb } from './colors.ts'
import type { Picture } from './picture.ts'

/** How far a colour may be from the colour next to it on the border (0 to 441, the diagonal of the colour cube). */
const tolerance = 42

/**
 * Replaces what is connected to the picture's border and looks like it: an even studio background is found so, a busy
 * one only in part. Already transparent pixels count as background.
 */
export function changeBackground(picture: Picture, fill: Rgb | 'transparent'): Picture {
  const found = findBackground(picture)
  const pixels = Uint8Array.from(picture.pixels)
  for (let at = 0; at < found.length; at += 1) {
    const isBackground = found[at] === 1
    const index = at * 4
    if (fill === 'transparent') {
      if (isBackground) pixels[index + 3] = 0
    } else if (isBackground || pixels[index + 3] !== 255)
      paintPixel(pixels, index, isBackground ? fill : over(pixels, index, fill))
  }
  return { ...picture, pixels }
}

function paintPixel(pixels: Uint8Array, index: number, color: Rgb): void {
  pixels.set([...color, 255], index)
}

/** A half transparent pixel of the subject lets the new background show. */
function over(pixels: Uint8Array, index: number, under: Rgb): Rgb {
  const part = (pixels[index + 3] ?? 255) / 255
  const channel = (offset: 0 | 1 | 2): number =>
    (pixels[index + offset] ?? 0) * part + under[offset] * (1 - part)
  return [channel(0), channel(1), channel(2)]
}

/** One byte a pixel: 1 where a flood from the border reaches. */
function findBackground({ width, height, pixels }: Picture): Uint8Array {
  const found = new Uint8Array(width * height)
  const colors = borderColors({ width, height, pixels })
  const stack: number[] = []
  const visit = (at: number): void => {
    if (found[at] === 1 || !isNear(pixels, at * 4, colors)) return
    found[at] = 1
    stack.push(at)
  }
  for (let x = 0; x < width; x += 1) {
    visit(x)
    visit((height - 1) * width + x)
  }
  for (let y = 0; y < height; y += 1) {
    visit(y * width)
    visit(y * width + width - 1)
  }
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    const x = at % width
    if (x > 0) visit(at - 1)
    if (x < width - 1) visit(at + 1)
    if (at >= width) visit(at - width)
    if (at < width * (height - 1)) visit(at + width)
  }
  return found
}

/** The colours at the corners and the middles of the top sides, without repeats. */
function borderColors({ width, height, pixels }: Picture): readonly number[] {
  const points = [
    [0, 0],
    [width - 1, 0],
    [0, height - 1],
    [width - 1, height - 1],
    [width >> 1, 0],
    [0, height >> 1],
    [width - 1, height >> 1],
  ] as const
  const colors: number[] = []
  for (const [x, y] of points) {
    const index = (y * width + x) * 4
    if (!isNear(pixels, index, colors, tolerance / 2))
      colors.push(...pixels.subarray(index, index + 3))
  }
  return colors
}

function isNear(
  pixels: Uint8Array,
  index: number,
  colors: readonly number[],
  reach = tolerance,
): boolean {
  if ((pixels[index + 3] ?? 255) < 16) return true
  for (let color = 0; color < colors.length; color += 3) {
    const red = (pixels[index] ?? 0) - (colors[color] ?? 0)
    const green = (pixels[index + 1] ?? 0) - (colors[color + 1] ?? 0)
    const blue = (pixels[index + 2] ?? 0) - (colors[color + 2] ?? 0)
    if (red * red + green * green + blue * blue <= reach * reach) return true
  }
  return false
}
