/** The text is not a table; the message names the line. */
export class UnreadableTable extends Error {
  override readonly name = 'UnreadableTable'
}

export type CsvRow = Readonly<Record<string, string>>

/** A line is held until it ends. Lines that providers write are far shorter. */
const lineLengthMax = 1024 * 1024

/**
 * Reads a CSV text (RFC 4180), or one with semicolons or tabs, into rows keyed by the names of the first line. Yields the rows
 * that end in each piece; only the unfinished line is held in memory. Empty lines are skipped.
 *
 * @throws UnreadableTable if quotation marks do not match, a line has a different number of values than the first has names, or
 *   a line is too long.
 */
export async function* readCsv(
  pieces: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<readonly CsvRow[], void> {
  const lines = new Lines()
  let names: readonly string[] | undefined
  function* rowsIn(found: Iterable<Line>): Generator<CsvRow> {
    for (const { cells, number } of found) {
      if (names) {
        if (cells.some((value) => value !== '')) yield rowOf(names, cells, number)
      } else names = cells.map((name) => name.trim())
    }
  }
  for await (const piece of pieces) yield [...rowsIn(lines.take(piece))]
  yield [...rowsIn(lines.take('', { isLast: true }))]
}

function rowOf(names: readonly string[], cells: readonly string[], number: number): CsvRow {
  // Otherwise missing values would count as nothing, and a comma in a number would split it.
  if (cells.length < names.length || cells.slice(names.length).some((value) => value !== ''))
    throw new UnreadableTable(
      `Line ${number} has ${cells.length} values, and the first line ${names.length} names`,
    )
  return Object.fromEntries(names.map((name, at) => [name, cells[at] ?? '']))
}

interface Line {
  /** From 1. */
  readonly number: number
  readonly cells: readonly string[]
}

/** Splits a text into lines as it arrives. */
class Lines {
  /** The part of the unfinished line received so far. */
  #text = ''
  /** A carriage return that may be followed by a line feed. */
  #held = ''
  #hasBegun = false
  #number = 1
  #separator: string | undefined;

  /** The lines that end in this piece; all remaining ones if it is the last. */
  *take(piece: string, { isLast = false } = {}): Generator<Line> {
    const text = this.#text + this.#withLineFeeds(piece, isLast)
    if (isLast || text.includes('\n')) this.#separator ??= /^[^\n]*?([\t;,])/.exec(text)?.[1] ?? ','
    let from = 0
    while (this.#separator !== undefined && from <= text.length) {
      const line = this.#lineAt(text, { from, separator: this.#separator, isLast })
      if (!line) break
      yield line
      from = line.end + 1
    }
    this.#text = text.slice(from)
    if (this.#text.length <= lineLengthMax) return
    throw new UnreadableTable(
      `Line ${this.#number} is longer than ${lineLengthMax} characters, or a quotation mark in it does not fit`,
    )
  }

  #withLineFeeds(piece: string, isLast: boolean): string {
    const isFirst = !this.#hasBegun && piece !== ''
    this.#hasBegun ||= isFirst
    const come = this.#held + (isFirst ? piece.replace(/^\ufeff/, '') : piece)
    this.#held = !isLast && come.endsWith('\r') ? '\r' : ''
    return come.slice(0, come.length - this.#held.length).replaceAll(/\r\n?/g, '\n')
  }

  /** Undefined if the line's end has not arrived. */
  #lineAt(text: string, { from, separator, isLast }: Looked): (Line & Ended) | undefined {
    const cells: string[] = []
    let number = this.#number
    for (let at = from; ; ) {
      const { value, end, fits } = cellAt(text, at, separator)
      if (end === text.length && !isLast) return undefined
      if (!fits) throw new UnreadableTable(`A quotation mark in line ${number} does not fit`)
      cells.push(value)
      number += value.split('\n').length - 1
      if (text[end] !== separator) {
        const line = { number: this.#number, cells, end }
        this.#number = number + 1
        return line
      }
      at = end + 1
    }
  }
}

interface Looked {
  readonly from: number
  readonly separator: string
  readonly isLast: boolean
}

interface Ended {
  /** Position of the separator or the end of the line. */
  readonly end: number
}

interface Cell extends Ended {
  readonly value: string
  /** Whether its quotation marks match. */
  readonly fits: boolean
}

function cellAt(text: string, from: number, separator: string): Cell {
  const isEnd = (at: number) => at === text.length || text[at] === '\n' || text[at] === separator
  let end = from
  if (text[from] !== '"') {
    while (!isEnd(end)) end += 1
    return { value: text.slice(from, end), end, fits: true }
  }
  do {
    end = text.indexOf('"', end + 1)
    if (end < 0) return { value: '', end: text.length, fits: false }
    end += 1
  } while (text[end] === '"')
  return { value: text.slice(from + 1, end - 1).replaceAll('""', '"'), end, fits: isEnd(end) }
}
