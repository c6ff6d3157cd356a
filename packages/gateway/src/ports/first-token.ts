/**
 * Upper bounds of the buckets for times to the first token, in milliseconds; one more bucket holds longer times. Older
 * programs count in these alone.
 */
export const firstTokenBounds = [
  50, 100, 200, 300, 500, 750, 1_000, 1_500, 2_000, 3_000, 5_000, 7_500, 10_000, 20_000, 60_000,
] as const

/** Closer bounds, a tenth apart between 100 ms and 5 s. Percentiles are as exact as these are close. */
export const closeFirstTokenBounds = [
  10, 20, 30, 40, 50, 59, 71, 84, 100, 110, 120, 130, 140, 155, 170, 185, 200, 215, 235, 255, 275,
  300, 325, 355, 385, 420, 460, 500, 540, 590, 640, 690, 750, 805, 865, 930, 1_000, 1_100, 1_200,
  1_300, 1_400, 1_500, 1_600, 1_750, 1_850, 2_000, 2_150, 2_350, 2_550, 2_750, 3_000, 3_250, 3_550,
  3_850, 4_200, 4_600, 5_000, 6_100, 7_500, 8_650, 10_000, 12_000, 14_000, 17_000, 20_000, 29_000,
  41_500, 60_000,
] as const

/** How many streams had their first token in each bucket. */
export interface FirstTokens {
  /** The upper bounds of the buckets but the last, in milliseconds. */
  readonly bounds: readonly number[]
  /** One count per bound, above the previous bound, and one for longer times. */
  readonly counts: readonly number[]
}

/**
 * A percentile (0 to 1) of the counts, in whole milliseconds, assuming an even distribution within each bucket. The last
 * bound stands for anything beyond it; null if nothing was counted.
 */
export function percentileOf({ bounds, counts }: FirstTokens, share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  let remaining = share * total
  let from = 0
  for (const [at, to] of bounds.entries()) {
    const count = counts[at] ?? 0
    if (count > 0 && remaining <= count) return Math.round(from + ((to - from) * remaining) / count)
    remaining -= count
    from = to
  }
  return from
}
