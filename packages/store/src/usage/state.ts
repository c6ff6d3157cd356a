import sql, { type Sql } from 'sql-template-tag'
import type { Database } from '../database.ts'

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

export async function readState(database: Pick<Database, 'rows'>): Promise<UsageState> {
  const rows = await database.rows(sql`SELECT name, value FROM usage_state`)
  const values = new Map(rows.map((row) => [row['name'], Number(row['value'])]))
  const of = (name: string) => values.get(name) ?? 0
  return {
    folded: of('folded'),
    foldedFurther: of('folded_further'),
    foldedRests: of('folded_rests'),
    epoch: of('epoch'),
    keptFrom: of('kept_from'),
    clearing: of('clearing'),
    rebuiltTo: of('rebuilt_to'),
    rebuiltFrom: of('rebuilt_from'),
    furtherTo: of('further_to'),
    furtherFrom: of('further_from'),
  }
}

/** The last record that is in the sums with everything that they are of. */
export function foldedWhole({ folded, foldedFurther, foldedRests }: UsageState): number {
  return Math.min(folded, foldedFurther, foldedRests)
}

type Name =
  | 'folded'
  | 'folded_further'
  | 'folded_rests'
  | 'epoch'
  | 'kept_from'
  | 'clearing'
  | 'rebuilt_to'
  | 'rebuilt_from'
  | 'further_to'
  | 'further_from'

/** Makes the whole transaction fail if the value has changed: it then writes NULL, which the column does not allow. */
export function assertUnchanged(name: Name, from: number, to: number): Sql {
  return sql`UPDATE usage_state SET value = CASE WHEN value = ${from} THEN CAST(${to} AS BIGINT) END WHERE name = ${name}`
}

export function setState(name: Name, value: number): Sql {
  return sql`UPDATE usage_state SET value = ${value} WHERE name = ${name}`
}

/** Invalidates all sums being computed now; they are computed again. */
export const nextEpoch = sql`UPDATE usage_state SET value = value + 1 WHERE name = 'epoch'`
