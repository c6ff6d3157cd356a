import type { Rgb } from './colors.ts'
import type { ShapeName } from './shapes.ts'

/** A shape, or several of the same shape, as a prompt asks for it. */
export interface Thing {
  readonly shape: ShapeName
  readonly count: number
  readonly color: Rgb
  /** Its words in the prompt. */
  readonly words: string
}

export interface SceneText {
  readonly text: string
  readonly color?: Rgb
}

/** The contents of a prompt. */
export interface Scene {
  /** Undefined if none is named. */
  readonly background: Rgb | undefined
  readonly things: readonly Thing[]
  readonly texts: readonly SceneText[]
  /** Phrases of the prompt that are not drawn. */
  readonly leftOut: readonly string[]
}
