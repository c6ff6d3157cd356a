import sql, { join, raw, type Sql } from 'sql-template-tag'
import { usageDimensions } from '../ports/usage-book.ts'
import type { Database } from './database.ts'
import { addUp, type AddedUp, type Group } from './usage-add-up.ts'
import {
  dimensionColumns,
  type Face,
  faces,
  furtherFaces,
  hourMs,
  measureColumns,
  measureList,
  periodStart,
  summed,
} from './usage-faces.ts'
import { assertUnchanged, setState, type UsageState } from './usage-state.ts'

/** Many rows of one table. */
export interface AddedRows {
  readonly table: string
  readonly columns: readonly string[]
  /** Each with a value for each column: of one column all are texts or all are numbers. */
  readonly rows: readonly (readonly (string | number)[])[]
  /** Further columns, which are 0 in all of them. */
  readonly zeros: readonly string[]
  /** What happens where a row of that key is there already. */
  readonly onConflict: string
}

/** What reads and changes the sums; it may take its time. */
export interface UsageDatabase extends Pick<Database, 'rows' | 'change'> {
  /** As `change`, and adds the rows after the statements in the same transaction. */
  changeWith(statements: readonly Sql[], added: readonly AddedRows[]): Promise<void>
  /** How many numbers of records are folded at once at most, one transaction for all of them. */
  readonly recordsPerFold: number
}

/**
 * The last record before which none can appear any more: of what is being written at the same time, a record with a
 * smaller number may come to be seen later than one with a larger. Undefined where that is not known for now.
 */
export type Horizon = () => Promise<number | undefined>

/** A transaction of them takes some milliseconds. */
export const recordsPerFoldUsual = 4_000

/** What one step adds: records up to one, to these faces. */
interface Step {
  readonly faces: readonly Face[]
  readonly after: number
  readonly to: number
  /** Up to the record `heldTo`, those from before `heldFrom` are in these sums already. */
  readonly heldTo: number
  readonly heldFrom: number
  /** Fails where somebody else has made this step. */
  readonly marks: readonly Sql[]
}

const allFaces = Object.keys(faces) as readonly Face[]
const onlyFurther = Object.keys(furtherFaces) as readonly Face[]

/**
 * Adds records to the sums: one transaction that also says how far it went, and that fails as a whole where anybody else has
 * gone there before. So each record counts once, whoever folds and whenever they are killed. Returns how many are left.
 */
export async function foldNext(
  database: UsageDatabase,
  state: UsageState,
  horizon: number,
): Promise<number> {
  if (state.foldedFurther > state.folded) {
    await followClearing(database, state)
    return horizon
  }
  const step = stepOf(state, horizon, database.recordsPerFold)
  if (step.to <= step.after) return 0
  const rows = await database.rows(newSums(step))
  const added = await addUp(rows, step.faces)
  await database.changeWith(
    [...step.marks, assertUnchanged('epoch', state.epoch, state.epoch)],
    [newGroups(added.groups), addedSums(added), laterUses(added.uses)],
  )
  return horizon - step.to
}

/** A program that did not know the further faces has removed all sums, to make its own anew. */
async function followClearing(database: UsageDatabase, state: UsageState): Promise<void> {
  const { folded, foldedFurther, rebuiltTo, rebuiltFrom } = state
  await database.change(
    assertUnchanged('folded_further', foldedFurther, 0),
    assertUnchanged('folded', folded, folded),
    ...heldAs(rebuiltTo, rebuiltFrom),
  )
}

/** A program that did not know the further faces may have gone on without them: first they catch up. */
function stepOf(state: UsageState, horizon: number, recordsPerFold: number): Step {
  const { folded, foldedFurther, furtherTo, furtherFrom, rebuiltTo, rebuiltFrom } = state
  if (foldedFurther < folded) {
    const to = Math.min(folded, foldedFurther + recordsPerFold)
    return {
      faces: onlyFurther,
      after: foldedFurther,
      to,
      heldTo: furtherTo,
      heldFrom: furtherFrom,
      marks: [assertUnchanged('folded_further', foldedFurther, to)],
    }
  }
  const to = Math.min(horizon, folded + recordsPerFold)
  return {
    faces: allFaces,
    after: folded,
    to,
    heldTo: rebuiltTo,
    heldFrom: rebuiltFrom,
    marks: [
      assertUnchanged('folded', folded, to),
      assertUnchanged('folded_further', foldedFurther, to),
    ],
  }
}

const heldAs = (to: number, from: number) => [
  setState('further_to', to),
  setState('further_from', from),
]

const recordColumns = usageDimensions
  .map((dimension) => dimensionColumns[dimension])
  .filter((column) => column !== 'tag')

function newSums({ after, to, heldTo, heldFrom }: Step): Sql {
  const hour = `started_at - started_at % ${hourMs}`
  const group = [hour, ...recordColumns, 'tags'].join(', ')
  const added = measureList.map(({ column, of }) => summed(column, of)).join(', ')
  // What was in the sums that a rebuild has left is not added to them again.
  return sql`SELECT ${raw(`${hour} AS hour, ${[...recordColumns, 'tags'].join(', ')}, MAX(started_at) AS used_at, ${added}`)}
    FROM usage_records WHERE sequence > ${after} AND sequence <= ${to}
      AND (sequence > ${heldTo} OR started_at >= ${heldFrom})
    GROUP BY ${raw(group)}`
}

const groupColumns = [
  'id',
  'face',
  ...usageDimensions.map((dimension) => dimensionColumns[dimension]),
]

export function newGroups(groups: readonly Group[]): AddedRows {
  const rows = groups.map(({ id, face, values }) => [
    id,
    face,
    ...usageDimensions.map((dimension) => values[dimension]),
  ])
  return {
    table: 'usage_groups',
    columns: groupColumns,
    rows,
    zeros: [],
    onConflict: 'ON CONFLICT DO NOTHING',
  }
}

const idColumns = ['face', 'period', 'start_at', 'group_id']
const sumColumns = [...idColumns, ...measureColumns]

/** What happens where there are sums of a group already. */
export const onTop = onTopOf(measureColumns)

function onTopOf(columns: readonly string[]): string {
  return `ON CONFLICT (face, period, start_at, group_id) DO UPDATE SET ${columns
    .map((column) => `${column} = usage_rollups.${column} + excluded.${column}`)
    .join(', ')}`
}

function addedSums({ sums, columns }: AddedUp): AddedRows {
  return {
    table: 'usage_rollups',
    columns: [...idColumns, ...columns],
    rows: sums.map(({ face, period, startAt, groupId: id, values }) => [
      face,
      period,
      startAt,
      id,
      ...values,
    ]),
    zeros: measureColumns.filter((column) => !columns.includes(column)),
    onConflict: onTopOf(columns),
  }
}

function laterUses(uses: AddedUp['uses']): AddedRows {
  return {
    table: 'key_uses',
    columns: ['key_id', 'last_used_at'],
    rows: [...uses],
    zeros: [],
    onConflict: `ON CONFLICT (key_id) DO UPDATE SET last_used_at = CASE
      WHEN excluded.last_used_at > key_uses.last_used_at THEN excluded.last_used_at ELSE key_uses.last_used_at END`,
  }
}

/** Any database, which gets the rows one by one. */
export function plainUsage(database: Pick<Database, 'rows' | 'change'>): UsageDatabase {
  return {
    recordsPerFold: recordsPerFoldUsual,
    rows: (query) => database.rows(query),
    change: (...statements) => database.change(...statements),
    async changeWith(statements, added) {
      const rows = added.flatMap(({ table, columns, rows: each, zeros, onConflict }) => {
        const names = raw([...columns, ...zeros].join(', '))
        return each.map(
          (row) =>
            sql`INSERT INTO ${raw(table)} (${names}) VALUES (${join([...row, ...zeros.map(() => 0)])}) ${raw(onConflict)}`,
        )
      })
      await database.change(...statements, ...rows)
    },
  }
}

/** Sums removed at once, where they are made anew. */
const rowsPerClearing = 2_000

/** Removes the sums of which all records are still there, some at a time; at last they begin to be made anew. */
export async function clearNext(database: UsageDatabase, state: UsageState): Promise<void> {
  const { keptFrom } = state
  const month = periodStart('month', keptFrom)
  const [cleared = 0] = await database.change(
    sql`DELETE FROM usage_rollups WHERE (face, period, start_at, group_id) IN (
      SELECT face, period, start_at, group_id FROM usage_rollups
        WHERE (period <> 'month' AND start_at >= ${keptFrom}) OR (period = 'month' AND start_at >= ${month})
        LIMIT ${rowsPerClearing})`,
  )
  if (cleared > 0) return
  const sums = measureColumns.map((column) => summed(column)).join(', ')
  await database.change(
    assertUnchanged('folded', state.folded, 0),
    assertUnchanged('folded_further', state.foldedFurther, 0),
    assertUnchanged('epoch', state.epoch, state.epoch + 1),
    assertUnchanged('clearing', 1, 0),
    setState('rebuilt_to', state.folded),
    setState('rebuilt_from', keptFrom),
    ...heldAs(state.folded, keptFrom),
    // The days of its month whose records are gone.
    sql`INSERT INTO usage_rollups (${raw(sumColumns.join(', '))})
      SELECT face, 'month', ${raw(String(month))}, group_id, ${raw(sums)} FROM usage_rollups
        WHERE period = 'day' AND start_at >= ${month} AND start_at < ${keptFrom} GROUP BY face, group_id`,
  )
}
