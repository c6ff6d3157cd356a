import type { FamilySnapshot, HistogramPoint, Labels, ValuePoint } from './families.ts'

/** Adds the measurements of several processes: series with the same labels become one. */
export function addedSnapshots(
  processes: readonly (readonly FamilySnapshot[])[],
): readonly FamilySnapshot[] {
  const families = new Map<string, FamilySnapshot>()
  for (const family of processes.flat()) {
    const known = families.get(family.name)
    families.set(family.name, known ? added(known, family) : family)
  }
  return [...families.values()]
}

/** What remains of an ended process: its counters, which must never decrease. */
export function lastingSnapshots(families: readonly FamilySnapshot[]): readonly FamilySnapshot[] {
  return families.filter(({ kind }) => kind !== 'gauge')
}

function added(one: FamilySnapshot, other: FamilySnapshot): FamilySnapshot {
  if (one.kind === 'histogram')
    return other.kind === 'histogram'
      ? { ...one, points: joined<HistogramPoint>([...one.points, ...other.points], addedCounts) }
      : one
  if (other.kind === 'histogram') return one
  const together = one.kind === 'gauge' ? reducers[one.together] : reducers.sum
  const points = joined<ValuePoint>([...one.points, ...other.points], (point, further) => ({
    ...point,
    value: together(point.value, further.value),
  }))
  return { ...one, points }
}

const reducers = {
  sum: (one: number, other: number) => one + other,
  most: Math.max,
  least: Math.min,
}

function addedCounts(point: HistogramPoint, further: HistogramPoint): HistogramPoint {
  return {
    ...point,
    counts: point.counts.map((count, at) => count + (further.counts[at] ?? 0)),
    sum: point.sum + further.sum,
  }
}

function joined<Point extends { readonly labels: Labels }>(
  points: readonly Point[],
  add: (point: Point, further: Point) => Point,
): readonly Point[] {
  const series = new Map<string, Point>()
  for (const point of points) {
    // All processes use the same order of labels.
    const name = JSON.stringify(point.labels)
    const known = series.get(name)
    series.set(name, known ? add(known, point) : point)
  }
  return [...series.values()]
}
