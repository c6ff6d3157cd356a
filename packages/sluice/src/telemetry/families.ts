/** Label names and values, in the order of the text. */
export type Labels = Readonly<Record<string, string>>

interface Described {
  readonly name: string
  readonly description: string
  /** The unit as OpenTelemetry writes it; empty for a plain count. */
  readonly unit: string
}

/** The values of a family at one moment, as plain data, so that those of several processes can be added. */
export type FamilySnapshot = Described &
  (
    | { readonly kind: 'counter'; readonly points: readonly ValuePoint[] }
    | {
        readonly kind: 'gauge'
        /** How values of several processes are combined. */
        readonly together: Together
        readonly points: readonly ValuePoint[]
      }
    | {
        readonly kind: 'histogram'
        readonly bounds: readonly number[]
        readonly points: readonly HistogramPoint[]
      }
  )

type Together = 'sum' | 'most' | 'least'

export interface ValuePoint {
  readonly labels: Labels
  readonly value: number
}

export interface HistogramPoint {
  readonly labels: Labels
  /** One more count than bounds: the last is for values above all of them. */
  readonly counts: readonly number[]
  readonly sum: number
}

/** One series of a counter. */
export class Counter {
  value = 0

  add(amount: number): void {
    this.value += amount
  }
}

/** One series of a histogram. */
export class Histogram {
  readonly counts: number[]
  sum = 0
  readonly #bounds: readonly number[]

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.counts = Array.from({ length: bounds.length + 1 }, () => 0)
  }

  /** Upper bounds are inclusive. */
  record(value: number): void {
    const bounds = this.#bounds
    let place = 0
    while (place < bounds.length && value > (bounds[place] ?? 0)) place += 1
    this.counts[place] = (this.counts[place] ?? 0) + 1
    this.sum += value
  }
}

/** The series of a family, by their labels. */
class SeriesMap<Series> {
  readonly #byLabels = new Map<string, { readonly labels: Labels; readonly series: Series }>()

  /** The series with these labels; created if absent. */
  get(labels: Labels, make: () => Series): Series {
    const name = JSON.stringify(labels)
    const known = this.#byLabels.get(name) ?? { labels, series: make() }
    this.#byLabels.set(name, known)
    return known.series
  }

  points<Point>(pointOf: (series: Series) => Point): readonly (Point & { labels: Labels })[] {
    return [...this.#byLabels.values()].map(({ labels, series }) => ({
      labels,
      ...pointOf(series),
    }))
  }
}

/** A family of counters. Callers look up a series once and keep it. */
export class CounterFamily {
  readonly #described: Described
  readonly #series = new SeriesMap<Counter>()

  constructor(name: string, description: string, unit = '') {
    this.#described = { name, description, unit }
  }

  with(labels: Labels): Counter {
    return this.#series.get(labels, () => new Counter())
  }

  snapshot(): FamilySnapshot {
    const points = this.#series.points(({ value }) => ({ value }))
    return { ...this.#described, kind: 'counter', points }
  }
}

/** The same for histograms. */
export class HistogramFamily {
  readonly #described: Described
  readonly #bounds: readonly number[]
  readonly #series = new SeriesMap<Histogram>()

  constructor(described: Described, bounds: readonly number[]) {
    this.#described = described
    this.#bounds = bounds
  }

  with(labels: Labels): Histogram {
    return this.#series.get(labels, () => new Histogram(this.#bounds))
  }

  snapshot(): FamilySnapshot {
    const points = this.#series.points(({ counts, sum }) => ({ counts: [...counts], sum }))
    return { ...this.#described, kind: 'histogram', bounds: this.#bounds, points }
  }
}

/** A gauge with its current value. */
export function gauge(
  [name, description, unit = '']: readonly [name: string, description: string, unit?: string],
  points: readonly ValuePoint[],
  together: Together = 'sum',
): FamilySnapshot {
  return { name, description, unit, kind: 'gauge', together, points }
}
