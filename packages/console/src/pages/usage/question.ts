import type { Reply } from '../../api/client.ts'
import { formatCount, formatMicroUsd } from '../../parts/formats.ts'
import type { Picture, Point } from '../../parts/chart-data.ts'
import { usageTexts } from '../../texts/usage.ts'

export type Dimension = keyof typeof usageTexts.dimensions
export type Measure = keyof typeof usageTexts.measures

export const measures = ['costMicroUsd', 'calls', 'inputTokens', 'outputTokens'] as const

/** A dash if the sum is not known. */
export function formatMeasure(measure: Measure, sum: number | null | undefined): string {
  return measure === 'costMicroUsd' ? formatMicroUsd(sum) : formatCount(sum)
}

/** The selection that the page shows. */
export interface Question {
  readonly days: keyof typeof usageTexts.times
  readonly by: Dimension
  readonly and: Dimension | ''
  readonly measure: Measure
}

export const firstQuestion: Question = {
  days: '30',
  by: 'day',
  and: 'model',
  measure: 'costMicroUsd',
}

export type Row = Reply<'getUsage'>['data'][number]

const hourMs = 3_600_000
const periods: readonly Dimension[] = ['hour', 'day', 'month']

export function isPeriod(dimension: string): boolean {
  return periods.some((period) => period === dimension)
}

/** The dimensions that can be combined with another; at most one of the two can be a period. */
export function besides(by: Dimension): readonly Dimension[] {
  const all = Object.keys(usageTexts.dimensions) as readonly Dimension[]
  return all.filter((one) => one !== by && !(isPeriod(one) && isPeriod(by)))
}

/** The query for the gateway, from and to full hours. `now` is in milliseconds since the epoch. */
export function queryOf({ days, by, and }: Question, now: number) {
  const to = now - (now % hourMs) + hourMs
  return {
    by: and === '' ? by : `${by},${and}`,
    from: new Date(to - Number(days) * 24 * hourMs).toISOString(),
    to: new Date(to).toISOString(),
  }
}

/** Maximum number of groups in a chart; more could not be distinguished by color. */
const seriesMax = 7

export interface Naming {
  readonly nameOf: (dimension: string, value: unknown) => string
}

/** The sums as chart data: at most seven series, and the rest as one. */
export function pictureOf(
  rows: readonly Row[],
  { by, and, measure }: Question,
  naming: Naming,
): Picture {
  const seriesOf = (row: Row) =>
    and === '' ? usageTexts.measures[measure] : naming.nameOf(and, row[and])
  const sums = new Map<string, number>()
  for (const row of rows)
    sums.set(seriesOf(row), (sums.get(seriesOf(row)) ?? 0) + valueOf(row, measure))
  const sorted = [...sums].toSorted(([, a], [, b]) => b - a).map(([name]) => name)
  const places = new Map(sorted.map((name, at) => [name, Math.min(at, seriesMax)]))
  const rest = sorted.length > seriesMax ? [usageTexts.rest] : []
  const series = [...sorted.slice(0, seriesMax), ...rest]
  const points = new Map<string, number[]>()
  for (const row of rows) {
    const place = naming.nameOf(by, row[by])
    const values = points.get(place) ?? series.map(() => 0)
    const at = places.get(seriesOf(row)) ?? 0
    values[at] = (values[at] ?? 0) + valueOf(row, measure)
    points.set(place, values)
  }
  const drawn = [...points].map(([place, values]) => ({ place, values }))
  // Values without a natural order are sorted by size.
  return { series, points: isPeriod(by) ? drawn : drawn.toSorted(largestFirst) }
}

function largestFirst(one: Point, other: Point): number {
  return sumOf(other.values) - sumOf(one.values)
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}

function valueOf(row: Row, measure: Measure): number {
  return row[measure] ?? 0
}
