import { pipeline } from 'node:stream'
import { CsvError, parse } from 'csv-parse'

/** The text is not a known export, or not a table; the message says why, or names the line. */
export class UnreadableExport extends Error {
  override readonly name = 'UnreadableExport'
}

export type CsvRow = Readonly<Record<string, string>>

/** A line is held until it ends. Lines that providers write are far shorter. */
const lineBytesMax = 1024 * 1024

/**
 * Reads a CSV text (RFC 4180), or one with semicolons or tabs, into rows keyed by the names of the first line. Only the current
 * piece and the unfinished line are held in memory. Empty lines are skipped.
 *
 * @throws UnreadableExport if quotation marks do not match or are in an unquoted value, a line has a different number of values
 *   than the first has names, or a line is too long.
 */
export async function* readCsv(
  pieces: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<CsvRow, void> {
  const source = separatorFirst(pieces)
  const firstLine = String((await source.next()).value ?? '')
  let names: readonly string[] = []
  let number = 1
  const parser = parse({
    bom: true,
    delimiter: separator.exec(firstLine)?.[0] ?? ',',
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    max_record_size: lineBytesMax,
    on_record(cells, { lines }) {
      const isFirst = number === 1
      if (isFirst) names = cells.map((name) => name.trim())
      const isRow = !isFirst && hasValues(cells, names.length, number)
      number = lines + 1
      return isRow ? cells : null
    },
  })
  parser.write(firstLine)
  try {
    const rows: AsyncIterable<readonly string[]> = pipeline(source, parser, () => undefined)
    for await (const cells of rows)
      yield Object.fromEntries(names.map((name, at) => [name, cells[at] ?? '']))
  } catch (cause) {
    if (!(cause instanceof CsvError)) throw cause
    const misfit =
      cause.code === 'CSV_MAX_RECORD_SIZE'
        ? `Line ${number} is longer than ${lineBytesMax} bytes, or a quotation mark in it does not fit`
        : `A quotation mark in line ${number} does not fit`
    throw new UnreadableExport(misfit, { cause })
  }
}

function hasValues(cells: readonly string[], count: number, number: number): boolean {
  const used = cells.findLastIndex((value) => value !== '') + 1
  // Otherwise missing values would count as nothing, and a comma in a number would split it.
  if (used > count || (used > 0 && cells.length < count))
    throw new UnreadableExport(
      `Line ${number} has ${cells.length} values, and the first line ${count} names`,
    )
  return used > 0
}

const separator = /[\t;,]/

/** The pieces, the first ones joined until there is a separator, by which all are read. */
async function* separatorFirst(pieces: AsyncIterable<string> | Iterable<string>) {
  let start = ''
  let isFound = false
  for await (const piece of pieces) {
    start += piece
    isFound ||= separator.test(start) || start.length > lineBytesMax
    if (!isFound) continue
    yield start
    start = ''
  }
  yield start
}
