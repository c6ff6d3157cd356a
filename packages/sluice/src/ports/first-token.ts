/**
 * Upper bounds of the times to the first token that are counted together, in milliseconds; what took longer than the last
 * is counted in one more. A percentile is as exact as the bounds around it are near.
 */
export const firstTokenBounds = [
  50, 100, 200, 300, 500, 750, 1_000, 1_500, 2_000, 3_000, 5_000, 7_500, 10_000, 20_000, 60_000,
] as const

/**
 * A percentile (0 to 1) of what was counted between the bounds, in whole milliseconds: within a pair of bounds all are taken
 * to lie evenly. Beyond the last bound it is that bound; null where nothing was counted.
 */
export function percentileOf(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  let left = share * total
  let from = 0
  for (const [at, to] of firstTokenBounds.entries()) {
    const count = counts[at] ?? 0
    if (count > 0 && left <= count) return Math.round(from + ((to - from) * left) / count)
    left -= count
    from = to
  }
  return from
}
