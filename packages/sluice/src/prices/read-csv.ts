/** A text that is no table; the message says in which line. */
export class UnreadableTable extends Error {
  override readonly name = 'UnreadableTable'
}

/**
 * The rows of a CSV text (RFC 4180), or of one with semicolons or tabs, each by the names of the first line, one after the
 * other. Empty lines are left out.
 *
 * @throws UnreadableTable where quotation marks do not fit, or a line has other values than the first has names.
 */
export function* readCsv(text: string): Generator<Readonly<Record<string, string>>, void> {
  let names: readonly string[] | undefined
  for (const { cells, number } of linesOf(text.replace(/^\ufeff/, '').replaceAll(/\r\n?/g, '\n'))) {
    if (!names) {
      names = cells.map((name) => name.trim())
      continue
    }
    if (cells.every((value) => value === '')) continue
    // What is cut off would be taken for nothing, and a comma within a number for the end of it.
    if (cells.length < names.length || cells.slice(names.length).some((value) => value !== ''))
      throw new UnreadableTable(
        `Line ${number} has ${cells.length} values, and the first line ${names.length} names`,
      )
    yield Object.fromEntries(names.map((name, at) => [name, cells[at] ?? '']))
  }
}

interface Line {
  /** From 1. */
  readonly number: number
  readonly cells: string[]
}

function* linesOf(text: string): Generator<Line, void> {
  const separator = /^[^\n]*?([\t;,])/.exec(text)?.[1] ?? ','
  let number = 1
  let line: Line = { number, cells: [] }
  for (let at = 0; at <= text.length; ) {
    const { value, end } = cellAt(text, at, separator)
    if (end === undefined)
      throw new UnreadableTable(`A quotation mark in line ${number} does not fit`)
    line.cells.push(value)
    number += value.split('\n').length - 1
    if (text[end] === '\n') {
      yield line
      number += 1
      line = { number, cells: [] }
    }
    at = end + 1
  }
  yield line
}

/** A value, and where the separator or the end of the line is that it ends at; undefined where its quotation marks do not fit. */
function cellAt(
  text: string,
  from: number,
  separator: string,
): { readonly value: string; readonly end: number | undefined } {
  const isEnd = (at: number) => at === text.length || text[at] === '\n' || text[at] === separator
  let end = from
  if (text[from] !== '"') {
    while (!isEnd(end)) end += 1
    return { value: text.slice(from, end), end }
  }
  do {
    end = text.indexOf('"', end + 1)
    if (end < 0) return { value: '', end: undefined }
    end += 1
  } while (text[end] === '"')
  const value = text.slice(from + 1, end - 1).replaceAll('""', '"')
  return { value, end: isEnd(end) ? end : undefined }
}
