/** The rows of a CSV text (RFC 4180) or of one with tabs, each by the names of the first line. Empty lines are left out. */
export function readCsv(text: string): readonly Readonly<Record<string, string>>[] {
  const [head = [], ...rows] = linesOf(text.replace(/^\ufeff/, ''))
  return rows
    .filter((row) => row.some((value) => value !== ''))
    .map((row) => Object.fromEntries(head.map((name, at) => [name.trim(), row[at] ?? ''])))
}

function linesOf(text: string): readonly (readonly string[])[] {
  const separator = /^[^\n]*\t/.test(text) ? '\t' : ','
  const lines: string[][] = [[]]
  const cells = new RegExp(
    `("(?:[^"]|"")*"|[^"${separator}\\r\\n][^${separator}\\r\\n]*|)(${separator}|\\r?\\n|$)`,
    'y',
  )
  while (cells.lastIndex < text.length) {
    const match = cells.exec(text)
    // A quotation mark that nobody closes: the rest is no table.
    if (!match) break
    const [, cell = '', end = ''] = match
    const value = cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell
    lines.at(-1)?.push(value)
    if (end !== separator) lines.push([])
  }
  return lines
}
