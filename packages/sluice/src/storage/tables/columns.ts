import sql, { join, raw, type Sql } from 'sql-template-tag'
import type { Column, Row } from '../database.ts'

/** The columns of a record by field name. Absent fields are stored as NULL. */
export type Columns<Record> = { readonly [Field in keyof Required<Record>]: Column }

export const text = (column: string): Column => ({ column, as: 'text' })
/** An integer. Fractions are rounded: PostgreSQL would refuse them and SQLite would store them. */
export const integer = (column: string): Column => ({ column, as: 'integer' })
export const number = (column: string): Column => ({ column, as: 'number' })
export const boolean = (column: string): Column => ({ column, as: 'boolean' })
export const json = (column: string): Column => ({ column, as: 'json' })

/** The record of a row. The content of a row is controlled only by column constraints and this program. */
export function fromRow<Record>(columns: Columns<Record>, row: Row): Record {
  const record: { [field: string]: unknown } = {}
  for (const [field, { column, as }] of fieldsOf(columns)) {
    const value = row[column]
    if (value === null || value === undefined) continue
    if (as === 'json' && typeof value === 'string') record[field] = JSON.parse(value)
    else record[field] = as === 'boolean' ? value === 1 : value
  }
  // Columns<Record> names every field, NOT NULL covers the required ones, and all values were written by `toValue`.
  return record as Record
}

/**
 * An INSERT of the whole record that changes nothing if a unique value already exists. `calculated` holds further columns and
 * the SQL that computes their values.
 */
export function insertNew<Record extends object>(
  table: string,
  columns: Columns<Record>,
  record: Record,
  calculated: Readonly<{ [column: string]: Sql }> = {},
): Sql {
  return sql`${insert(table, columns, record, calculated)} ON CONFLICT DO NOTHING`
}

/** An INSERT of the whole record that overwrites a row with the same id. */
export function insertOrReplace<Record extends object>(
  table: string,
  columns: Columns<Record>,
  record: Record,
): Sql {
  const others = fieldsOf(columns).filter(([field]) => field !== 'id')
  const changes = others.map(([, { column }]) => `${column} = excluded.${column}`).join(', ')
  return sql`${insert(table, columns, record)} ON CONFLICT (id) DO UPDATE SET ${raw(changes)}`
}

/** An INSERT of the whole record that breaks a constraint if a unique value already exists. */
export function insert<Record extends object>(
  table: string,
  columns: Columns<Record>,
  record: Record,
  calculated: Readonly<{ [column: string]: Sql }> = {},
): Sql {
  const values = new Map(Object.entries(record))
  const fields = fieldsOf(columns)
  const names = raw(
    [...fields.map(([, { column }]) => column), ...Object.keys(calculated)].join(', '),
  )
  const kept = join([
    ...fields.map(([field, { as }]) => toValue(as, values.get(field))),
    ...Object.values(calculated),
  ])
  return sql`INSERT INTO ${raw(table)} (${names}) VALUES (${kept})`
}

/** `a = …, b = …` for the fields present in `change`; undefined if there are none. */
export function assignments<Record extends object>(
  columns: Columns<Record>,
  change: Partial<Record>,
): Sql | undefined {
  const values = new Map(Object.entries(change))
  const changed = fieldsOf(columns).filter(([field]) => values.get(field) !== undefined)
  if (changed.length === 0) return undefined
  return join(
    changed.map(
      ([field, { column, as }]) => sql`${raw(column)} = ${toValue(as, values.get(field))}`,
    ),
  )
}

export function fieldsOf<Record>(columns: Columns<Record>): [string, Column][] {
  return Object.entries<Column>(columns)
}

export function toValue(as: Column['as'], value: unknown): string | number | null {
  if (value === undefined || value === null) return null
  if (as === 'json') return JSON.stringify(value)
  if (as === 'boolean') return value === true ? 1 : 0
  if (as === 'text' && typeof value === 'string') return value
  if (as === 'integer' && typeof value === 'number') return Math.round(value)
  if (as === 'number' && typeof value === 'number') return value
  throw new TypeError(`A ${typeof value} does not fit into a column of ${as}`)
}
