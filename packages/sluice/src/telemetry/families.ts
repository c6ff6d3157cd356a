/** Label names and values, in the order of the text. */
export type Labels = Readonly<Record<string, string>>

interface Described {
  readonly name: string
  readonly description: string
  /** The unit as OpenTelemetry writes it; empty for a plain count. */
  readonly unit: string
}

type Description = readonly [name: string, description: string, unit?: string]

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

/** Series by their labels. */
abstract class Family<Series> {
  protected readonly described: Described
  readonly #byLabels = new Map<string, { readonly labels: Labels; readonly series: Series }>()

  constructor([name, description, unit = '']: Description) {
    this.described = { name, description, unit }
  }

  /** The series with these labels; created if absent. Callers look it up once and keep it. */
  with(labels: Labels): Series {
    const name = JSON.stringify(labels)
    const known = this.#byLabels.get(name) ?? { labels, series: this.create() }
    this.#byLabels.set(name, known)
    return known.series
  }

  abstract snapshot(): FamilySnapshot

  protected abstract create(): Series

  protected points<Point>(pointOf: (series: Series) => Point) {
    return [...this.#byLabels.values()].map(({ labels, series }) => ({
      labels,
      ...pointOf(series),
    }))
  }
}

export class CounterFamily extends Family<Counter> {
  snapshot(): FamilySnapshot {
    const points = this.points(({ value }) => ({ value }))
    return { ...this.described, kind: 'counter', points }
  }

  protected create(): Counter {
    return new Counter()
  }
}

export class HistogramFamily extends Family<Histogram> {
  readonly #bounds: readonly number[]

  constructor(description: Description, bounds: readonly number[]) {
    super(description)
    this.#bounds = bounds
  }

  snapshot(): FamilySnapshot {
    const points = this.points(({ counts, sum }) => ({ counts: [...counts], sum }))
    return { ...this.described, kind: 'histogram', bounds: this.#bounds, points }
  }

  protected create(): Histogram {
    return new Histogram(this.#bounds)
  }
}

/** A gauge with its current value. */
export function gauge(
  [name, description, unit = '']: Description,
  points: readonly ValuePoint[],
  together: Together = 'sum',
): FamilySnapshot {
  return { name, description, unit, kind: 'gauge', together, points }
}
