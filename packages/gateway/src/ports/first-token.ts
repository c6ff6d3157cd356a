/**
 * Upper bounds of the buckets for times to the first token, in milliseconds; one more bucket holds longer times. Percentiles
 * are as exact as these bounds are close.
 */
export const firstTokenBounds = [
  50, 100, 200, 300, 500, 750, 1_000, 1_500, 2_000, 3_000, 5_000, 7_500, 10_000, 20_000, 60_000,
] as const

/**
 * A percentile (0 to 1) of bucket counts, in whole milliseconds, assuming an even distribution within each bucket. The last
 * bound stands for anything beyond it; null if nothing was counted.
 */
export function percentileOf(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  let remaining = share * total
  let from = 0
  for (const [at, to] of firstTokenBounds.entries()) {
    const count = counts[at] ?? 0
    if (count > 0 && remaining <= count) return Math.round(from + ((to - from) * remaining) / count)
    remaining -= count
    from = to
  }
  return from
}
