import type { Rgb } from './colors.ts'
import type { Size } from './picture.ts'
import type { Place, Thing } from './scene.ts'

/** A length in an image: in pixels, or as a part (0 to 1) of its shorter side. */
export type Length = { readonly pixels: number } | { readonly part: number }

/** The part of the image to keep: parts (0 to 1) of its width and height, pixels, or an aspect ratio. */
export type CropArea =
  | (Size & { readonly by: 'parts' | 'pixels'; readonly place: Place })
  | { readonly by: 'ratio'; readonly ratio: number; readonly place: Place }

/**
 * One step of an edit. `amount` is a strength: 0 does nothing, 0.5 is the usual strength, 1 is strong. For brightness,
 * contrast and saturation its sign is the direction.
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
  /** Sets the images side by side, before all other steps. */
  | { readonly kind: 'combine' }
  | { readonly kind: 'border'; readonly width: Length; readonly color: Rgb }
  | {
      readonly kind: 'caption'
      readonly text: string
      readonly place: Place
      readonly color?: Rgb
      readonly faint?: boolean
    }
  | { readonly kind: 'draw'; readonly things: readonly Thing[] }
  | { readonly kind: EffectKind; readonly amount: number }

export type EffectKind =
  | 'grayscale'
  | 'sepia'
  | 'invert'
  | 'blur'
  | 'sharpen'
  | 'brightness'
  | 'contrast'
  | 'saturation'

export type EditKind = EditOperation['kind']

/** A step, and the words that asked for it. */
export interface EditStep {
  readonly operation: EditOperation
  readonly words: string
}
