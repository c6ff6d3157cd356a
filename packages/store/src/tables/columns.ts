import type { Sql } from 'sql-template-tag'
import type { Column, Database, Row } from '../database.ts'

/** The kinds of column that can hold a value. Fractions in an `integer` are rounded: PostgreSQL would refuse them. */
type KindOf<Value> = [Value] extends [boolean]
  ? 'boolean'
  : [Value] extends [string]
    ? 'text'
    : [Value] extends [number]
      ? 'integer' | 'number'
      : 'json'

/**
 * The columns of a record: the kind of each field. A column has the name of its field in snake case, and an absent field is stored
 * as NULL.
 */
export type Columns<Record> = {
  readonly [Field in keyof Required<Record>]: KindOf<NonNullable<Record[Field]>>
}

/** The name of a field's column. */
export function columnName(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** The fields of a record, each with its column. */
export function fieldsOf<Record>(columns: Columns<Record>): [string, Column][] {
  return Object.entries<Column['as']>(columns).map(([field, as]) => [
    field,
    { column: columnName(field), as },
  ])
}

/** Reads records from rows, whose other columns are ignored. */
export function readerOf<Record>(columns: Columns<Record>): (row: Row) => Record {
  const fields = fieldsOf(columns)
  return (row) => {
    const record: { [field: string]: unknown } = {}
    for (const [field, { column, as }] of fields) {
      const value = row[column]
      if (value === null || value === undefined) continue
      if (as === 'json' && typeof value === 'string') record[field] = JSON.parse(value)
      else record[field] = as === 'boolean' ? value === 1 : value
    }
    // Columns<Record> names every field with its kind, and the tables have NOT NULL for the required ones.
    return record as Record
  }
}

/** The records that a query finds; see `readerOf`. */
export async function readRows<Record>(
  database: Pick<Database, 'rows'>,
  columns: Columns<Record>,
  query: Sql,
): Promise<readonly Record[]> {
  return (await database.rows(query)).map(readerOf(columns))
}

/** The number in the first column of the first row; undefined for NULL and without a row. */
export async function findNumber(
  database: Pick<Database, 'rows'>,
  query: Sql,
): Promise<number | undefined> {
  const [row = {}] = await database.rows(query)
  const [value] = Object.values(row)
  return typeof value === 'number' ? value : undefined
}

/** The number in a column of a list of columns; 0 for NULL, the sum of nothing. */
export function numberIn(row: Row, column: string): number {
  const value = row[column] ?? 0
  if (typeof value !== 'number') throw new TypeError(`The column ${column} has no number`)
  return value
}

/** The text in a column of a list of columns; empty for NULL. */
export function textIn(row: Row, column: string): string {
  const value = row[column] ?? ''
  if (typeof value !== 'string') throw new TypeError(`The column ${column} has no text`)
  return value
}

/**
 * What a column stores for a field's value: NULL if it is absent.
 *
 * @throws TypeError if the value is not of the column's kind.
 */
export function toValue(as: Column['as'], value: unknown): string | number | null {
  if (value === undefined || value === null) return null
  if (as === 'json') return JSON.stringify(value)
  if (as === 'boolean') return value === true ? 1 : 0
  if (as === 'text' && typeof value === 'string') return value
  if (as === 'integer' && typeof value === 'number') return Math.round(value)
  if (as === 'number' && typeof value === 'number') return value
  throw new TypeError(`A ${typeof value} does not fit into a column of ${as}`)
}
