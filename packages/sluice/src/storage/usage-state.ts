import sql, { type Sql } from 'sql-template-tag'
import type { Database } from './database.ts'

/** What is known of the sums; the migration that made the table says what each is. */
export interface UsageState {
  /** The last record that the first faces hold, and the last that the further ones do. */
  readonly folded: number
  readonly foldedFurther: number
  readonly epoch: number
  readonly keptFrom: number
  readonly clearing: number
  /** Up to this record, those from before a moment are in the sums already: a rebuild has left these. */
  readonly rebuiltTo: number
  readonly rebuiltFrom: number
  /** The same of the further faces. */
  readonly furtherTo: number
  readonly furtherFrom: number
}

export async function readState(database: Pick<Database, 'rows'>): Promise<UsageState> {
  const rows = await database.rows(sql`SELECT name, value FROM usage_state`)
  const values = new Map(rows.map((row) => [row['name'], Number(row['value'])]))
  const of = (name: string) => values.get(name) ?? 0
  return {
    folded: of('folded'),
    foldedFurther: of('folded_further'),
    epoch: of('epoch'),
    keptFrom: of('kept_from'),
    clearing: of('clearing'),
    rebuiltTo: of('rebuilt_to'),
    rebuiltFrom: of('rebuilt_from'),
    furtherTo: of('further_to'),
    furtherFrom: of('further_from'),
  }
}

type Name =
  | 'folded'
  | 'folded_further'
  | 'epoch'
  | 'kept_from'
  | 'clearing'
  | 'rebuilt_to'
  | 'rebuilt_from'
  | 'further_to'
  | 'further_from'

/** Fails, and the whole transaction with it, where the value is another by now: NULL is not allowed there. */
export function assertUnchanged(name: Name, from: number, to: number): Sql {
  return sql`UPDATE usage_state SET value = CASE WHEN value = ${from} THEN CAST(${to} AS BIGINT) END WHERE name = ${name}`
}

export function setState(name: Name, value: number): Sql {
  return sql`UPDATE usage_state SET value = ${value} WHERE name = ${name}`
}

/** Whatever sums are being made now are made again. */
export const nextEpoch = sql`UPDATE usage_state SET value = value + 1 WHERE name = 'epoch'`
