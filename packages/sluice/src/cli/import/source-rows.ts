import { isObject } from '@sluice/contract'
import type { FieldReport, Verdict } from './report.ts'

export type Row = Readonly<Record<string, unknown>>

/** Rows of which one report names, in a table. */
const namedMax = 5

/** What became of the columns of rows: the same of many rows is one entry, which names the first of them. */
export class RowReports {
  readonly #found = new Map<
    string,
    Omit<FieldReport, 'place'> & { readonly table: string; readonly rows: string[] }
  >()

  add(table: string, row: string, { field, verdict, note }: Omit<FieldReport, 'place'>): void {
    const key = JSON.stringify([table, field, verdict, note])
    const known = this.#found.get(key)
    if (known) known.rows.push(row)
    else this.#found.set(key, { table, rows: [row], field, verdict, note })
  }

  report(): readonly FieldReport[] {
    return [...this.#found.values()].map(({ table, rows, field, verdict, note }) => ({
      place: `${table}: ${rowsText(rows)}`,
      field,
      verdict,
      note,
    }))
  }
}

function rowsText(rows: readonly string[]): string {
  const more = rows.length - namedMax
  const named = rows.slice(0, more === 1 ? namedMax + 1 : namedMax).join(', ')
  return more > 1 ? `${named} and ${more} others` : named
}

/** What a report calls a row: its id, and its name. */
export function labelOf(row: Row, name: string): string {
  const shown = (value: unknown) =>
    typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint'
      ? String(value)
      : ''
  return `${shown(row['id']) || '?'} ${shown(row[name])}`.trim()
}

/**
 * A row of another program's table. Its values are read as databases and exported files have them, and reading one says what
 * became of it; `end` reports those that have a value and were not read.
 */
export class SourceRow {
  /** What the report calls it. */
  readonly label: string
  readonly #row: Row
  readonly #table: string
  readonly #reports: RowReports
  /** What was said of each column. */
  readonly #decided = new Map<string, string>()

  constructor(
    { table, row, label }: { readonly table: string; readonly row: Row; readonly label: string },
    reports: RowReports,
  ) {
    this.label = label
    this.#table = table
    this.#row = row
    this.#reports = reports
  }

  text(name: string): string | undefined {
    const value = this.#row[name]
    if (typeof value === 'number' || typeof value === 'bigint') return String(value)
    return typeof value === 'string' && value !== '' ? value : undefined
  }

  number(name: string): number | undefined {
    const text = this.text(name)
    const number = text === undefined ? NaN : Number(text)
    return Number.isFinite(number) ? number : undefined
  }

  flag(name: string): boolean {
    const value = this.#row[name]
    return (
      value === true || value === 1 || (typeof value === 'string' && /^(?:t|true|1)$/i.test(value))
    )
  }

  /** Texts of a list; PostgreSQL writes lists in braces. */
  list(name: string): readonly string[] {
    const value = this.#row[name]
    if (Array.isArray(value)) return value.map(String)
    if (typeof value !== 'string') return []
    if (value.startsWith('[')) return listIn(parsed(value))
    return bracedList(value)
  }

  object(name: string): Readonly<Record<string, unknown>> {
    const value = this.#row[name]
    const found = typeof value === 'string' ? parsed(value) : value
    return isObject(found) ? found : {}
  }

  /** Any value of JSON. */
  json(name: string): unknown {
    const value = this.#row[name]
    return typeof value === 'string' ? parsed(value) : value
  }

  /** Milliseconds since the epoch. A time without a zone is in UTC. */
  time(name: string): number | undefined {
    const value = this.#row[name]
    if (value instanceof Date) return value.getTime()
    if (typeof value !== 'string' || value === '') return undefined
    const text = value.replace(' ', 'T')
    const time = Date.parse(
      /(?:Z|[+-]\d\d(?::?\d\d)?)$/.test(text) ? text.replace(/([+-]\d\d)$/, '$1:00') : `${text}Z`,
    )
    return Number.isNaN(time) ? undefined : time
  }

  taken(name: string, note = ''): void {
    this.#decide(name, 'taken', note)
  }

  changed(name: string, to: string): void {
    this.#decide(name, 'changed', to)
  }

  left(name: string, why: string): void {
    this.#decide(name, 'not taken', why)
  }

  /** Reports every column that has a value and was not decided, by its reason if there is one. */
  end(reasons: Readonly<Record<string, string>>): void {
    for (const name of Object.keys(this.#row))
      if (!this.#decided.has(name))
        this.left(name, reasons[name] ?? 'sluice import does not know this column')
  }

  /** Reports nothing more but that the whole row was not taken. */
  leave(why: string): void {
    this.#reports.add(this.#table, this.label, {
      field: '(the row)',
      verdict: 'not taken',
      note: why,
    })
  }

  #decide(name: string, verdict: Verdict, note: string): void {
    // The last decision holds; one that is repeated is reported once.
    const isSaid = this.#decided.get(name) === note
    this.#decided.set(name, note)
    if (isSaid || isEmpty(this.#row[name])) return
    this.#reports.add(this.#table, this.label, { field: name, verdict, note })
  }
}

/** Whether a value says nothing: what columns hold that nobody has set. */
function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === false || value === 0) return true
  if (typeof value === 'string') return /^(?:|\{\}|\[\]|null|f|false|0)$/.test(value)
  if (value instanceof Date) return false
  return typeof value === 'object' && Object.keys(value).length === 0
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function listIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : []
}

/** `{a,"b c"}`, the text of an array (PostgreSQL, 8.15.6). */
function bracedList(text: string): readonly string[] {
  const inner = /^\{([\s\S]*)\}$/.exec(text)?.[1]
  if (inner === undefined) return []
  return [...inner.matchAll(/"((?:[^"\\]|\\.)*)"|([^,]+)/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll(/\\(.)/g, '$1') ?? plain ?? '',
  )
}
