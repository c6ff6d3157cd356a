import { printable } from './printable.ts'

/** Formats rows under headings, with columns as wide as their widest cell. */
export function formatTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const all = [headings, ...rows].map((row) => row.map(printable))
  const widths = headings.map((_, column) =>
    Math.max(...all.map((row) => row[column]?.length ?? 0)),
  )
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Formats millionths of a dollar as dollars in a table, `unknown` if nobody knows them. Less than a millionth is never 0. */
export function usdCell(microUsd: number | null | undefined): string {
  if (microUsd === null || microUsd === undefined) return 'unknown'
  return microUsd > 0 && microUsd < 1 ? '<$0.000001' : (microUsd / 1_000_000).toFixed(6)
}
