import { formatHex, nameOf, type Rgb } from './colors.ts'
import type { Place, Thing } from './scene.ts'

/** A length of a picture: pixels, or a part (0 to 1) of its shorter side. */
export type Length = { readonly pixels: number } | { readonly part: number }

/** What part of the picture stays: parts (0 to 1) of its width and height, pixels or a shape. */
export type CropArea =
  | { readonly by: 'parts'; readonly width: number; readonly height: number; readonly place: Place }
  | {
      readonly by: 'pixels'
      readonly width: number
      readonly height: number
      readonly place: Place
    }
  | { readonly by: 'ratio'; readonly ratio: number; readonly place: Place }

/** How several pictures become one. */
export type Arrangement =
  | { readonly how: 'beside' | 'stacked' }
  | { readonly how: 'blended'; readonly opacity: number }
  | { readonly how: 'inset'; readonly place: Place; readonly part: number }

/**
 * One step of an edit. `amount` is a strength: 0 does nothing, 0.5 is what a plain word asks for, 1 is strong; in
 * brightness, contrast and saturation its sign is the direction.
 */
export type EditOperation =
  | { readonly kind: 'rotate' /** Clockwise. */; readonly degrees: number }
  | { readonly kind: 'flip'; readonly axis: 'horizontal' | 'vertical' }
  | { readonly kind: 'crop'; readonly area: CropArea }
  | {
      readonly kind: 'resize'
      readonly width?: number
      readonly height?: number
      readonly factor?: number
    }
  | { readonly kind: 'combine'; readonly arrangement: Arrangement }
  | { readonly kind: 'border'; readonly width: Length; readonly color: Rgb }
  | {
      readonly kind: 'caption'
      readonly text: string
      readonly place: Place
      readonly color?: Rgb
      readonly faint?: boolean
    }
  | { readonly kind: 'draw'; readonly things: readonly Thing[]; readonly words: string }
  | { readonly kind: 'background'; readonly fill: Rgb | 'transparent' }
  | { readonly kind: 'tint'; readonly color: Rgb; readonly amount: number }
  | { readonly kind: 'grayscale' | 'sepia' | 'blur' | 'sharpen'; readonly amount: number }
  | { readonly kind: 'brightness' | 'contrast' | 'saturation'; readonly amount: number }
  | { readonly kind: 'pixelate'; readonly size: Length }
  | { readonly kind: 'invert' }

export type EditKind = EditOperation['kind']

/** A phrase that says what a step does, for the caller to read. */
export function describeOperation(operation: EditOperation): string {
  switch (operation.kind) {
    case 'rotate':
      return `rotate ${tidy(Math.abs(operation.degrees))}° ${operation.degrees < 0 ? 'counter-clockwise' : 'clockwise'}`
    case 'flip':
      return `flip ${operation.axis === 'horizontal' ? 'horizontally' : 'vertically'}`
    case 'crop':
      return describeCrop(operation.area)
    case 'resize':
      return describeResize(operation)
    case 'combine':
      return describeArrangement(operation.arrangement)
    case 'border':
      return `add a ${nameOf(operation.color)} border of ${describeLength(operation.width)}`
    case 'caption':
      return `write "${operation.text}" at the ${describePlace(operation.place)}`
    case 'draw':
      return `draw ${operation.words}`
    case 'background':
      return operation.fill === 'transparent'
        ? 'make the background transparent'
        : `fill the background with ${nameOf(operation.fill)}`
    case 'tint':
      return `tint ${nameOf(operation.color)} (${formatHex(operation.color)}, strength ${percent(operation.amount)})`
    case 'pixelate':
      return `pixelate in blocks of ${describeLength(operation.size)}`
    case 'invert':
      return 'invert the colours'
    case 'brightness':
    case 'contrast':
    case 'saturation':
      return `${operation.amount < 0 ? 'reduce' : 'raise'} ${operation.kind} by ${percent(operation.amount)}`
    default:
      return `${plainNames[operation.kind]} (strength ${percent(operation.amount)})`
  }
}

const plainNames = {
  grayscale: 'convert to grayscale',
  sepia: 'sepia tone',
  blur: 'blur',
  sharpen: 'sharpen',
} as const

function describeCrop(area: CropArea): string {
  if (area.by === 'ratio')
    return area.ratio === 1 ? 'crop to a square' : `crop to a ratio of ${tidy(area.ratio)}`
  const { width, height } = area
  const kept =
    area.by === 'pixels'
      ? `${width}x${height}`
      : `${percent(width)} of the width and ${percent(height)} of the height`
  return `crop to ${kept} at the ${describePlace(area.place)}`
}

function describeResize({ width, height, factor }: EditOperation & { kind: 'resize' }): string {
  if (factor !== undefined) return `resize to ${percent(factor)}`
  if (width !== undefined && height !== undefined) return `resize to ${width}x${height}`
  return width === undefined ? `resize to a height of ${height}` : `resize to a width of ${width}`
}

function describeArrangement(arrangement: Arrangement): string {
  switch (arrangement.how) {
    case 'beside':
      return 'set the pictures side by side'
    case 'stacked':
      return 'set the pictures one above the other'
    case 'blended':
      return `blend the pictures at ${percent(arrangement.opacity)}`
    case 'inset':
      return `lay the other picture over the first at the ${describePlace(arrangement.place)}`
  }
}

function describePlace({ x, y }: Place): string {
  if (x === 'center') return y
  return y === 'center' ? x : `${y} ${x}`
}

function describeLength(length: Length): string {
  return 'pixels' in length ? `${Math.round(length.pixels)} px` : percent(length.part)
}

function percent(part: number): string {
  return `${Math.round(Math.abs(part) * 100)} %`
}

function tidy(value: number): string {
  return String(Math.round(value * 100) / 100)
}
