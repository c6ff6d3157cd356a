import type { Sharp } from 'sharp'
import type { EditOperation, EffectKind, Length } from './edit-operations.ts'
import { type Picture, pictureOf, pipelineOf } from './picture.ts'

type Matrix = Parameters<Sharp['recomb']>[0]

/** ITU-R BT.709. */
const gray = [0.2126, 0.7152, 0.0722] as const
/** The W3C filter effects matrix (Filter Effects 1, sepia). */
const brown = [
  [0.393, 0.769, 0.189],
  [0.349, 0.686, 0.168],
  [0.272, 0.534, 0.131],
] as const

/** What changes colours in place. `amount` is what EditOperation says of it. */
export function applyEffect(
  picture: Picture,
  { kind, amount }: EditOperation & { readonly kind: EffectKind },
): Promise<Picture> {
  const pipeline = pipelineOf(picture)
  switch (kind) {
    case 'invert':
      return pictureOf(pipeline.negate({ alpha: false }))
    case 'grayscale':
      return pictureOf(pipeline.recomb(blend([gray, gray, gray], Math.min(1, amount))))
    case 'sepia':
      return pictureOf(pipeline.recomb(blend(brown, Math.min(1, amount))))
    case 'saturation':
      return pictureOf(pipeline.recomb(blend([gray, gray, gray], Math.min(1, -amount))))
    case 'brightness':
      return pictureOf(
        amount < 0
          ? linear(pipeline, Math.max(0, 1 + amount), 0)
          : linear(pipeline, 1 + amount * 0.6, amount * 16),
      )
    case 'contrast': {
      const slope = amount < 0 ? Math.max(0, 1 + amount) : 1 + amount * 1.5
      return pictureOf(linear(pipeline, slope, 128 * (1 - slope)))
    }
    case 'blur': {
      // A little more than a hundredth of the shorter side at 0.5, so that it shows alike at any size.
      const side = Math.min(picture.width, picture.height)
      return pictureOf(pipeline.blur(Math.min(100, 0.6 + amount * (0.6 + side / 50))))
    }
    case 'sharpen':
      return pictureOf(pipeline.sharpen({ sigma: 1 + amount, m2: 6 * amount }))
  }
}

/** The colours as they are, moved by a part of the way toward what the matrix makes of them; alpha stays. */
function blend(to: readonly (readonly [number, number, number])[], part: number): Matrix {
  const [red, green, blue] = to.map((row, index) =>
    row.map((value, column) => (column === index ? 1 - part : 0) + value * part),
  ) as [number[], number[], number[]]
  return [
    [...red, 0],
    [...green, 0],
    [...blue, 0],
    [0, 0, 0, 1],
  ] as unknown as Matrix
}

function linear(pipeline: Sharp, factor: number, plus: number): Sharp {
  // What is behind the point is cut off.
  const rounded = plus + 0.5
  return pipeline.linear([factor, factor, factor, 1], [rounded, rounded, rounded, 0])
}

/** A length in pixels of this picture, at least 1. */
export function pixelsOf(length: Length, { width, height }: Picture): number {
  const pixels = 'pixels' in length ? length.pixels : length.part * Math.min(width, height)
  return Math.max(1, Math.round(pixels))
}
