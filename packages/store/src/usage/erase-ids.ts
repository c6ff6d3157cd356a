import { randomUUID } from 'node:crypto'
import sql, { join, raw, type Sql } from 'sql-template-tag'
import {
  type Erased,
  type UsageDimension,
  type UsagePeriod,
  usagePeriods,
} from '@sluice/gateway/ports/usage-store.ts'
import type { Row } from '../database.ts'
import { readRows, textIn } from '../tables/columns.ts'
import {
  dayMs,
  dimensionColumns,
  groupId,
  groupValues,
  measureColumns,
  summedMeasures,
} from './groupings.ts'
import type { Group } from './add-up.ts'
import { newGroups, addToSums, type UsageDatabase } from './fold.ts'
import { lastRecord, nextEpoch } from './state.ts'

/** Record numbers scanned per step. */
const recordsPerStep = 20_000

/** Replaces an id first in the records, in steps, and then in the sums. If the process is killed in between, it is done again. */
export async function eraseIds(
  database: UsageDatabase,
  { kind, id }: { readonly kind: 'user' | 'key'; readonly id: string },
): Promise<Erased> {
  const replacement = `erased_${randomUUID()}`
  const dimensions: readonly UsageDimension[] = kind === 'user' ? ['user', 'key'] : ['key']
  const column = dimensionColumns[kind]
  const changed = dimensions.map((one) => sql`${raw(dimensionColumns[one])} = ${replacement}`)
  const newest = await lastRecord(database)
  // A user's keys are erased with the user. Refusals store the user for all of its keys, so this condition removes them all.
  await database.change(
    sql`DELETE FROM refusals WHERE ${raw(column)} = ${id}`,
    sql`DELETE FROM kept_refusals WHERE ${raw(column)} = ${id}`,
  )
  let records = 0
  for (let from = 0; from < newest; from += recordsPerStep) {
    const [count = 0] = await database.change(
      sql`UPDATE usage_records SET ${join(changed)}, request_id = NULL, client_address = NULL
        WHERE ${raw(column)} = ${id} AND sequence > ${from} AND sequence <= ${from + recordsPerStep}`,
    )
    records += count
  }
  // Invalidates sums being computed from the records as they were before.
  await database.change(nextEpoch)
  const groups = await database.rows(sql`SELECT * FROM usage_groups WHERE ${raw(column)} = ${id}`)
  if (groups.length > 0) {
    const moves = movesOf(groups, dimensions, replacement)
    // If the process dies after adding the new groups, they are merely groups without sums.
    await database.changeWith([], [newGroups(moves)])
    await moveSums(database, moves)
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
    const grouping = textIn(row, 'face')
    const values = groupValues((dimension) => {
      const value = textIn(row, dimensionColumns[dimension])
      return value !== '' && dimensions.includes(dimension) ? replacement : value
    })
    return { from: textIn(row, 'id'), id: groupId(grouping, values), grouping, values }
  })
}

/**
 * In parts, because moving the sums of years at once would block all other writes. At any time each sum is in exactly one of
 * the two groups.
 */
async function moveSums(database: UsageDatabase, moves: readonly Move[]): Promise<void> {
  await database.change(
    ...moves.map(
      ({ from, id }) => sql`UPDATE usage_groups SET moved_to = ${id} WHERE id = ${from}`,
    ),
  )
  for (const grouping of new Set(moves.map((move) => move.grouping)))
    for (const period of usagePeriods)
      for (const part of await partsOf(database, grouping, period))
        await database.change(...moved(part))
  await database.change(
    sql`DELETE FROM key_uses WHERE key_id IN (SELECT key_id FROM usage_groups WHERE moved_to IS NOT NULL)`,
    ...moves.map(({ from }) => sql`DELETE FROM usage_groups WHERE id = ${from}`),
    nextEpoch,
  )
}

/** Sums of one grouping and period within a time range. The primary key stores them next to each other. */
interface Part {
  readonly grouping: string
  readonly period: UsagePeriod
  readonly from: number
  readonly to: number
}

const partMs = { hour: dayMs, day: 30 * dayMs, month: 3_650 * dayMs }

async function partsOf(
  database: UsageDatabase,
  grouping: string,
  period: UsagePeriod,
): Promise<readonly Part[]> {
  const [{ first, last = 0 } = {}] = await readRows<{ first?: number; last?: number }>(
    database,
    { first: 'integer', last: 'integer' },
    sql`SELECT MIN(start_at) AS first, MAX(start_at) AS last
      FROM usage_rollups WHERE face = ${grouping} AND period = ${period}`,
  )
  if (first === undefined) return []
  const parts: Part[] = []
  for (let from = first; from <= last; from += partMs[period])
    parts.push({ grouping, period, from, to: from + partMs[period] })
  return parts
}

function* moved({ grouping, period, from, to }: Part): Generator<Sql> {
  const within = sql`r.face = ${grouping} AND r.period = ${period} AND r.start_at >= ${from} AND r.start_at < ${to}`
  yield sql`INSERT INTO usage_rollups (face, period, start_at, group_id, ${raw(measureColumns.join(', '))})
    SELECT r.face, r.period, r.start_at, g.moved_to, ${raw(summedMeasures)}
      FROM usage_rollups r JOIN usage_groups g ON g.id = r.group_id
      WHERE ${within} AND g.moved_to IS NOT NULL GROUP BY r.face, r.period, r.start_at, g.moved_to ${raw(addToSums)}`
  yield sql`DELETE FROM usage_rollups AS r WHERE ${within}
      AND r.group_id IN (SELECT id FROM usage_groups WHERE moved_to IS NOT NULL)`
}
