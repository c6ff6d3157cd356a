import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite'

export type Row = Readonly<Record<string, SQLOutputValue>>

/** How one field of a record is kept: its column, and what JSON or 0/1 stand for. */
export interface Column {
  readonly column: string
  readonly as: 'text' | 'number' | 'boolean' | 'json'
}

/** The columns of a record, by field name. A field that is absent is NULL, and NULL is an absent field. */
export type Columns<Record> = { readonly [Field in keyof Required<Record>]: Column }

/** The record that a row holds. The columns' constraints and this program alone decide what is in the row. */
export function fromRow<Record>(columns: Columns<Record>, row: Row): Record {
  const record: { [field: string]: unknown } = {}
  for (const [field, { column, as }] of fieldsOf(columns)) {
    const value = row[column]
    if (value === null || value === undefined) continue
    record[field] =
      as === 'json' ? JSON.parse(String(value)) : as === 'boolean' ? value === 1 : value
  }
  // Columns<Record> names every field, NOT NULL guards the required ones, and only `toValues` wrote them.
  return record as Record
}

/** The named fields' values in the order of `fields`. */
export function toValues<Record extends object>(
  columns: Columns<Record>,
  record: Partial<Record>,
  fields: readonly string[],
): SQLInputValue[] {
  const values = new Map(Object.entries(record))
  const known = new Map(fieldsOf(columns))
  return fields.map((field) => toValue(known.get(field)?.as ?? 'text', values.get(field)))
}

function toValue(as: Column['as'], value: unknown): SQLInputValue {
  if (value === undefined || value === null) return null
  if (as === 'json') return JSON.stringify(value)
  if (as === 'boolean') return value === true ? 1 : 0
  if (typeof value === 'number' || typeof value === 'string') return value
  throw new TypeError(`A ${typeof value} does not fit into a column of ${as}`)
}

/** An INSERT of every field of a record. */
export function prepareInsert<Record>(
  db: DatabaseSync,
  table: string,
  columns: Columns<Record>,
): StatementSync {
  const names = fieldsOf(columns).map(([, { column }]) => column)
  const marks = names.map(() => '?')
  return db.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${marks.join(', ')})`)
}

export function fieldsOf<Record>(columns: Columns<Record>): [string, Column][] {
  return Object.entries<Column>(columns)
}

export const text = (column: string): Column => ({ column, as: 'text' })
export const number = (column: string): Column => ({ column, as: 'number' })
export const boolean = (column: string): Column => ({ column, as: 'boolean' })
export const json = (column: string): Column => ({ column, as: 'json' })

/**
 * Runs `work` in one transaction that has reached the disk when this returns, power cut or not. Ordinary writes of
 * usage do not wait for the disk; what a caller was promised (a key, a job) does.
 */
export function durably<Result>(db: DatabaseSync, work: () => Result): Result {
  db.exec('PRAGMA synchronous = FULL')
  try {
    return transaction(db, work)
  } finally {
    db.exec('PRAGMA synchronous = NORMAL')
  }
}

export function transaction<Result>(db: DatabaseSync, work: () => Result): Result {
  db.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    db.exec('COMMIT')
    return result
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}
