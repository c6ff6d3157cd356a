import { formatHex, nameOf, type Rgb } from './colors.ts'
import type { SceneObject } from './scene.ts'

export type Horizontal = 'left' | 'center' | 'right'
export type Vertical = 'top' | 'center' | 'bottom'
export interface Place {
  readonly x: Horizontal
  readonly y: Vertical
}

/** A length of a picture: pixels, or a part (0 to 1) of its shorter side. */
export type Length = { readonly pixels: number } | { readonly part: number }

/** What part of the picture stays: parts (0 to 1) of its width and height, pixels or a shape. */
export type CropArea =
  | {
      readonly by: 'parts'
      readonly left: number
      readonly top: number
      readonly width: number
      readonly height: number
    }
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
 * brightness, contrast, saturation and warmth its sign is the direction.
 */
export type EditOperation =
  | { readonly kind: 'rotate' /** Clockwise. */; readonly degrees: number }
  | { readonly kind: 'flip'; readonly axis: 'horizontal' | 'vertical' }
  | { readonly kind: 'crop'; readonly area: CropArea }
  | { readonly kind: 'zoom'; readonly factor: number; readonly place: Place }
  | {
      readonly kind: 'resize'
      readonly width?: number
      readonly height?: number
      readonly factor?: number
    }
  | { readonly kind: 'circle' }
  | { readonly kind: 'combine'; readonly arrangement: Arrangement }
  | { readonly kind: 'border'; readonly width: Length; readonly color: Rgb }
  | { readonly kind: 'corners'; readonly radius: Length }
  | {
      readonly kind: 'caption'
      readonly text: string
      readonly place: Place
      readonly color?: Rgb
      readonly faint?: boolean
    }
  | { readonly kind: 'draw'; readonly objects: readonly SceneObject[]; readonly words: string }
  | { readonly kind: 'background'; readonly fill: Rgb | 'transparent' | 'blurred' }
  | { readonly kind: 'recolor'; readonly from: Rgb; readonly to: Rgb }
  | {
      readonly kind: 'tint'
      readonly color: Rgb
      readonly amount: number /** The part that was meant and cannot be found. */
      readonly wanted?: string
    }
  | {
      readonly kind:
        | 'grayscale'
        | 'sepia'
        | 'vignette'
        | 'grain'
        | 'blur'
        | 'sharpen'
        | 'denoise'
        | 'paint'
        | 'emboss'
      readonly amount: number
    }
  | { readonly kind: 'brightness' | 'contrast' | 'saturation' | 'warmth'; readonly amount: number }
  | { readonly kind: 'hue'; readonly degrees: number }
  | { readonly kind: 'posterize'; readonly levels: number }
  | { readonly kind: 'pixelate'; readonly size: Length }
  | { readonly kind: 'threshold' /** 0 to 255. */; readonly level: number }
  | { readonly kind: 'invert' | 'solarize' | 'edges' | 'sketch' | 'cartoon' | 'normalize' }

export type EditKind = EditOperation['kind']

const fullAtOne: ReadonlySet<EditKind> = new Set(['grayscale', 'sepia', 'tint'])

/** The same step a little stronger (factor above 1) or weaker; steps without a strength stay as they are. */
export function withStrength(operation: EditOperation, factor: number): EditOperation {
  if (fullAtOne.has(operation.kind) && 'amount' in operation && operation.amount * factor > 1)
    // There is no more than all of it, so a stronger variant is another weaker one.
    return { ...operation, amount: operation.amount / (factor + 0.1) }
  if ('amount' in operation) return { ...operation, amount: operation.amount * factor }
  if (operation.kind === 'posterize')
    return { ...operation, levels: Math.max(2, Math.round(operation.levels / factor)) }
  if (operation.kind === 'pixelate') return { ...operation, size: scaled(operation.size, factor) }
  if (operation.kind === 'hue') return { ...operation, degrees: operation.degrees * factor }
  if (operation.kind === 'threshold')
    return { ...operation, level: Math.min(250, Math.round(operation.level * factor)) }
  return operation
}

export function hasStrength(operation: EditOperation): boolean {
  return (
    'amount' in operation || ['posterize', 'pixelate', 'hue', 'threshold'].includes(operation.kind)
  )
}

function scaled(length: Length, factor: number): Length {
  return 'pixels' in length ? { pixels: length.pixels * factor } : { part: length.part * factor }
}

/** A phrase that says what a step does, for the caller to read. */
export function describeOperation(operation: EditOperation): string {
  switch (operation.kind) {
    case 'rotate':
      return `rotate ${tidy(Math.abs(operation.degrees))}° ${operation.degrees < 0 ? 'counter-clockwise' : 'clockwise'}`
    case 'flip':
      return `flip ${operation.axis === 'horizontal' ? 'horizontally' : 'vertically'}`
    case 'crop':
      return describeCrop(operation.area)
    case 'zoom':
      return `zoom in ${tidy(operation.factor)} times`
    case 'resize':
      return describeResize(operation)
    case 'circle':
      return 'cut out a circle'
    case 'combine':
      return describeArrangement(operation.arrangement)
    case 'border':
      return `add a ${nameOf(operation.color)} border of ${describeLength(operation.width)}`
    case 'corners':
      return `round the corners by ${describeLength(operation.radius)}`
    case 'caption':
      return `write "${operation.text}" at the ${describePlace(operation.place)}`
    case 'draw':
      return `draw ${operation.words}`
    default:
      return describeColorwork(operation)
  }
}

type Colorwork = Exclude<
  EditOperation,
  {
    kind:
      | 'rotate'
      | 'flip'
      | 'crop'
      | 'zoom'
      | 'resize'
      | 'circle'
      | 'combine'
      | 'border'
      | 'corners'
      | 'caption'
      | 'draw'
  }
>

function describeColorwork(operation: Colorwork): string {
  switch (operation.kind) {
    case 'background':
      if (operation.fill === 'transparent') return 'make the background transparent'
      if (operation.fill === 'blurred') return 'blur the background'
      return `fill the background with ${nameOf(operation.fill)}`
    case 'recolor':
      return `change ${nameOf(operation.from)} to ${nameOf(operation.to)}`
    case 'tint':
      return describeTint(operation)
    case 'hue':
      return `shift the hue by ${tidy(operation.degrees)}°`
    case 'posterize':
      return `posterize to ${operation.levels} levels`
    case 'pixelate':
      return `pixelate in blocks of ${describeLength(operation.size)}`
    case 'threshold':
      return 'reduce to pure black and white'
    case 'brightness':
    case 'contrast':
    case 'saturation':
    case 'warmth':
      return `${operation.amount < 0 ? 'reduce' : 'raise'} ${operation.kind} by ${percent(operation.amount)}`
    case 'invert':
    case 'solarize':
    case 'normalize':
      return {
        invert: 'invert the colours',
        solarize: 'solarize',
        normalize: 'stretch the tones to the full range',
      }[operation.kind]
    case 'edges':
    case 'sketch':
    case 'cartoon':
      return {
        edges: 'show the edges',
        sketch: 'turn into a pencil sketch',
        cartoon: 'turn into a cartoon',
      }[operation.kind]
    default:
      return `${plainNames[operation.kind]} (strength ${percent(operation.amount)})`
  }
}

const plainNames = {
  grayscale: 'convert to grayscale',
  sepia: 'sepia tone',
  vignette: 'darken towards the corners',
  grain: 'add grain',
  blur: 'blur',
  sharpen: 'sharpen',
  denoise: 'remove noise',
  paint: 'smooth like a painting',
  emboss: 'emboss',
} as const

function describeTint({ color, amount, wanted }: EditOperation & { kind: 'tint' }): string {
  const whole =
    wanted === undefined ? '' : ` over the whole picture, since "${wanted}" cannot be told apart`
  return `tint ${nameOf(color)} (${formatHex(color)}, strength ${percent(amount)})${whole}`
}

function describeCrop(area: CropArea): string {
  if (area.by === 'pixels')
    return `crop to ${area.width}x${area.height} at the ${describePlace(area.place)}`
  if (area.by === 'ratio')
    return area.ratio === 1 ? 'crop to a square' : `crop to a ratio of ${tidy(area.ratio)}`
  const { left, top, width, height } = area
  return `crop to ${percent(width)} of the width and ${percent(height)} of the height, from ${percent(left)} left and ${percent(top)} top`
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
