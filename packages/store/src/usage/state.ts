import sql, { type Sql } from 'sql-template-tag'
import type { Database } from '../database.ts'
import { columnName, type Columns, findNumber, readerOf, readRows } from '../tables/columns.ts'

/** The state of the sums; the migration that created the table describes each value. */
export interface UsageState {
  /** The last record in the first groupings, and the last in the further ones. */
  readonly folded: number
  readonly foldedFurther: number
  /** The last record whose part of the cost below a millionth is in the sums. */
  readonly foldedRests: number
  readonly epoch: number
  readonly keptFrom: number
  readonly clearing: number
  /** Of records up to this one, those before a moment are already in the sums, because a rebuild kept them. */
  readonly rebuiltTo: number
  readonly rebuiltFrom: number
  /** The same for the further groupings. */
  readonly furtherTo: number
  readonly furtherFrom: number
}

/** Each value is a row; its name is that of its field in snake case. */
const stateColumns: Columns<UsageState> = {
  folded: 'integer',
  foldedFurther: 'integer',
  foldedRests: 'integer',
  epoch: 'integer',
  keptFrom: 'integer',
  clearing: 'integer',
  rebuiltTo: 'integer',
  rebuiltFrom: 'integer',
  furtherTo: 'integer',
  furtherFrom: 'integer',
}
const stateOf = readerOf(stateColumns)

/** The state as it is now. Whoever changes the sums by it asserts that it is unchanged (`assertUnchanged`). */
export async function readState(database: Pick<Database, 'rows'>): Promise<UsageState> {
  const rows = await readRows<{ readonly name: string; readonly value: number }>(
    database,
    { name: 'text', value: 'integer' },
    sql`SELECT name, value FROM usage_state`,
  )
  return stateOf(Object.fromEntries(rows.map(({ name, value }) => [name, value])))
}

/** The number of the newest record; 0 if there is none. */
export async function lastRecord(database: Pick<Database, 'rows'>): Promise<number> {
  return (await findNumber(database, sql`SELECT MAX(sequence) FROM usage_records`)) ?? 0
}

/** The last record that is in the sums with everything that they are of. */
export function foldedWhole({ folded, foldedFurther, foldedRests }: UsageState): number {
  return Math.min(folded, foldedFurther, foldedRests)
}

/** Makes the whole transaction fail if the value has changed: it then writes NULL, which the column does not allow. */
export function assertUnchanged(name: keyof UsageState, from: number, to: number): Sql {
  return sql`UPDATE usage_state SET value = CASE WHEN value = ${from} THEN CAST(${to} AS BIGINT) END WHERE name = ${columnName(name)}`
}

/** Sets a value whatever it was. */
export function setState(name: keyof UsageState, value: number): Sql {
  return sql`UPDATE usage_state SET value = ${value} WHERE name = ${columnName(name)}`
}

/** Invalidates all sums being computed now; they are computed again. */
export const nextEpoch = sql`UPDATE usage_state SET value = value + 1 WHERE name = 'epoch'`
