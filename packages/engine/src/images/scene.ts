import type { BarChart } from './bar-chart.ts'
import type { Rgb } from './colors.ts'
import type { ShapeName } from './shapes.ts'

export type Horizontal = 'left' | 'center' | 'right'
export type Vertical = 'top' | 'center' | 'bottom'
export interface Place {
  readonly x: Horizontal
  readonly y: Vertical
}

/** How an object moves in a video; images ignore it. */
export type Motion = 'rise' | 'sink' | 'leftward' | 'rightward' | 'spin'

export type Relation = 'above' | 'below' | 'left' | 'right' | 'inside'

/** A shape, or several of the same shape, as a prompt asks for it, without a place in the image yet. */
export interface Thing {
  readonly shape: ShapeName
  readonly count: number
  /** One for all, or several that alternate: "red and blue circles". */
  readonly colors: readonly Rgb[]
  /** The part of its room that it fills, 0 to 1. */
  readonly fill: number
  readonly isOutline: boolean
  /** Its words in the prompt. */
  readonly words: string
  readonly place?: Place
  /** Its place relative to the thing named after it. */
  readonly relation?: Relation
  readonly motion?: Motion
}

/** One drawn shape. Lengths are parts of the image: x and y of width and height, size of the shorter side. */
export interface SceneObject {
  readonly shape: ShapeName
  readonly color: Rgb
  /** The centre. */
  readonly x: number
  readonly y: number
  /** The side of the square that it fills. */
  readonly size: number
  /** Clockwise, in degrees. */
  readonly rotation: number
  readonly isOutline: boolean
  readonly motion?: Motion
}

export interface SceneText {
  readonly text: string
  /** Absent: wherever there is room. */
  readonly place?: Place
  readonly color?: Rgb
  /** 0 to 1; absent means 1. */
  readonly opacity?: number
}

/** The contents of a prompt. */
export interface Scene {
  /** Undefined if none is named. */
  readonly background: Rgb | undefined
  readonly things: readonly Thing[]
  readonly texts: readonly SceneText[]
  readonly chart: BarChart | undefined
  /** Phrases of the prompt that are not drawn. */
  readonly leftOut: readonly string[]
}
