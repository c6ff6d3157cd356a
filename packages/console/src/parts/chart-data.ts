/** One bar: what it stands for, and the value of each series, all at least 0. */
export interface Point {
  readonly place: string
  readonly values: readonly number[]
}

/** The names of the stacked series from the lowest up, and a bar for each point. */
export interface Picture {
  readonly series: readonly string[]
  readonly points: readonly Point[]
}
