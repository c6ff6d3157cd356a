import { randomUUID } from 'node:crypto'
import sql, { join, raw, type Sql } from 'sql-template-tag'
import { type Erased, type UsageDimension, usageDimensions } from '../ports/usage-book.ts'
import type { Row } from './database.ts'
import {
  dimensionColumns,
  type Face,
  type GroupValues,
  groupId,
  measureColumns,
  summed,
} from './usage-faces.ts'
import type { Group } from './usage-add-up.ts'
import { newGroups, onTop, type UsageDatabase } from './usage-fold.ts'
import { nextEpoch } from './usage-state.ts'

/** So many numbers of records are looked through at once. */
const recordsPerStep = 20_000

/** Replaces an id in the records first, a part at a time, and then in the sums: what is killed between is done again. */
export async function eraseIds(
  database: UsageDatabase,
  { kind, id }: { readonly kind: 'user' | 'key'; readonly id: string },
): Promise<Erased> {
  const replacement = `erased_${randomUUID()}`
  const dimensions: readonly UsageDimension[] = kind === 'user' ? ['user', 'key'] : ['key']
  const column = dimensionColumns[kind]
  const changed = dimensions.map((one) => sql`${raw(dimensionColumns[one])} = ${replacement}`)
  const [newest] = await database.rows(sql`SELECT MAX(sequence) AS last FROM usage_records`)
  // Their keys go with a user: what was refused is counted for all of them by this one's.
  await database.change(sql`DELETE FROM refusals WHERE ${raw(column)} = ${id}`)
  let records = 0
  for (let from = 0; from < Number(newest?.['last'] ?? 0); from += recordsPerStep) {
    const [count = 0] = await database.change(
      sql`UPDATE usage_records SET ${join(changed)}, request_id = NULL, client_address = NULL
        WHERE ${raw(column)} = ${id} AND sequence > ${from} AND sequence <= ${from + recordsPerStep}`,
    )
    records += count
  }
  // Sums that are being made from the records as they were.
  await database.change(nextEpoch)
  const groups = await database.rows(sql`SELECT * FROM usage_groups WHERE ${raw(column)} = ${id}`)
  if (groups.length > 0) {
    const moves = movesOf(groups, dimensions, replacement)
    // Where the new groups were added and nothing was moved to them they are groups without sums.
    await database.changeWith([], [newGroups(moves)])
    await database.change(...moved(moves))
  }
  return { replacement, records }
}

interface Move extends Group {
  readonly from: string
}

function movesOf(
  rows: readonly Row[],
  dimensions: readonly UsageDimension[],
  replacement: string,
): readonly Move[] {
  return rows.map((row) => {
    const face = String(row['face']) as Face
    const values: Record<string, string> = {}
    for (const dimension of usageDimensions) {
      const value = String(row[dimensionColumns[dimension]])
      values[dimension] = value !== '' && dimensions.includes(dimension) ? replacement : value
    }
    // Every dimension has been given a value.
    const whole = values as GroupValues
    return { from: String(row['id']), id: groupId(face, whole), face, values: whole }
  })
}

function* moved(moves: readonly Move[]): Generator<Sql> {
  for (const { from, id } of moves)
    yield sql`UPDATE usage_groups SET moved_to = ${id} WHERE id = ${from}`
  const sums = measureColumns.map((column) => summed(column)).join(', ')
  yield sql`INSERT INTO usage_rollups (face, period, start_at, group_id, ${raw(measureColumns.join(', '))})
    SELECT r.face, r.period, r.start_at, g.moved_to, ${raw(sums)}
      FROM usage_rollups r JOIN usage_groups g ON g.id = r.group_id
      WHERE g.moved_to IS NOT NULL GROUP BY r.face, r.period, r.start_at, g.moved_to ${raw(onTop)}`
  yield sql`DELETE FROM key_uses WHERE key_id IN (SELECT key_id FROM usage_groups WHERE moved_to IS NOT NULL)`
  yield sql`DELETE FROM usage_rollups WHERE group_id IN (SELECT id FROM usage_groups WHERE moved_to IS NOT NULL)`
  yield sql`DELETE FROM usage_groups WHERE moved_to IS NOT NULL`
  yield nextEpoch
}
