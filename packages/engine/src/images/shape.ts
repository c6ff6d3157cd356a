import type { Rgb } from './colors.ts'

/** Attributes and colours for a drawing: `paint` fills or outlines, `shade` is darker, `light` lighter. */
export interface Palette {
  readonly paint: string
  readonly fill: string
  readonly shade: string
  readonly light: string
}

/** A drawing in a box from -1 to 1 on both axes. */
export interface Shape {
  /** English words for it, in the singular; the first is its name in texts. */
  readonly words: readonly string[]
  /** The colour when none is said. */
  readonly color: Rgb
  /** Where it stands when nothing is said. */
  readonly home: 'sky' | 'ground' | 'water' | 'anywhere'
  readonly draw: (palette: Palette) => string
}
