/** Formats millionths of a dollar as dollars in a table, `unknown` if nobody knows them. Less than a millionth is never 0. */
export function usdCell(microUsd: number | null | undefined): string {
  if (microUsd === null || microUsd === undefined) return 'unknown'
  return microUsd > 0 && microUsd < 1 ? '<$0.000001' : (microUsd / 1_000_000).toFixed(6)
}
