import type { BarChart } from './bar-chart.ts'
import type { Rgb } from './colors.ts'
import type { ShapeName } from './shapes.ts'

export type Horizontal = 'left' | 'center' | 'right'
export type Vertical = 'top' | 'center' | 'bottom'
export interface Place {
  readonly x: Horizontal
  readonly y: Vertical
}

/** How an object moves in a film; stills ignore it. */
export type Motion = 'rise' | 'sink' | 'leftward' | 'rightward' | 'spin'

export type Relation = 'above' | 'below' | 'left' | 'right' | 'inside'

/** A shape, or several alike, as a prompt asks for it: without a place in the picture yet. */
export interface Thing {
  readonly shape: ShapeName
  readonly count: number
  /** One for all, or several in turn: "red and blue circles". */
  readonly colors: readonly Rgb[]
  /** Part of the room it is given: 0 to 1. */
  readonly fill: number
  readonly isOutline: boolean
  /** Its words in the prompt. */
  readonly words: string
  readonly place?: Place
  /** Where it is, seen from the thing named after it. */
  readonly relation?: Relation
  readonly motion?: Motion
}

/** One drawn shape. Lengths are parts of the picture: x and y of width and height, size of the shorter side. */
export interface SceneObject {
  readonly shape: ShapeName
  readonly color: Rgb
  /** The centre. */
  readonly x: number
  readonly y: number
  /** The side of the square it fills. */
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
  /** 0 to 1; absent is 1. */
  readonly opacity?: number
}

/** What was read in a prompt. */
export interface Scene {
  /** Undefined where none is named. */
  readonly background: Rgb | undefined
  readonly things: readonly Thing[]
  readonly texts: readonly SceneText[]
  readonly chart: BarChart | undefined
  /** Phrases of the prompt that stand for nothing in the picture. */
  readonly leftOut: readonly string[]
}
