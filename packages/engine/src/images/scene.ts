import type { Rgb } from './colors.ts'
import type { Place } from './edit-operations.ts'
import type { ShapeName } from './shapes.ts'

/** How an object moves in a film; stills ignore it. */
export type Motion =
  | 'rise'
  | 'sink'
  | 'leftward'
  | 'rightward'
  | 'spin'
  | 'pulse'
  | 'bounce'
  | 'grow'
  | 'shrink'
  | 'appear'
  | 'vanish'
  | 'sway'

/** One drawn thing. Lengths are parts of the picture: x and y of width and height, size of the shorter side. */
export interface SceneObject {
  readonly shape: ShapeName
  readonly color: Rgb
  /** The centre. */
  readonly x: number
  readonly y: number
  readonly size: number
  /** Clockwise, in degrees. */
  readonly rotation: number
  readonly isOutline: boolean
  /** 0 to 1. */
  readonly opacity: number
  readonly motion?: Motion
}

export type GroundKind =
  | 'sea'
  | 'grass'
  | 'sand'
  | 'snow'
  | 'floor'
  | 'mountains'
  | 'hills'
  | 'city'
  | 'forest'

/** A band or a skyline from `top` (part of the height) to the bottom. */
export interface Ground {
  readonly kind: GroundKind
  readonly color: Rgb
  readonly top: number
}

export type Weather = 'rain' | 'snowfall' | 'stars' | 'clouds'

export interface SceneText {
  readonly text: string
  readonly place: Place
  readonly color?: Rgb
  /** 0 to 1; absent is 1. */
  readonly opacity?: number
}

/** Everything in a composed picture, in painting order. */
export interface Scene {
  /** Colours from the top (or left) to the bottom (or right); none leaves it transparent. */
  readonly background: { readonly colors: readonly Rgb[]; readonly isAcross: boolean }
  readonly weather: readonly Weather[]
  readonly grounds: readonly Ground[]
  readonly objects: readonly SceneObject[]
  readonly texts: readonly SceneText[]
  /** Decides the places of stars, clouds and the like. */
  readonly seed: string
  /** What was found in the prompt, as phrases; empty where the composition is abstract. */
  readonly understood: readonly string[]
}
