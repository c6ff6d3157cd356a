import sql, { empty, join, raw, type Sql } from 'sql-template-tag'
import { usageDimensions } from '@sluice/gateway/ports/usage-store.ts'
import type { Database } from '../database.ts'
import { addUp, type AddedUp, firstTokenBucket, type Group } from './add-up.ts'
import {
  closeFirstTokenOf,
  costRests,
  dimensionColumns,
  type Grouping,
  groupings,
  furtherGroupings,
  hourMs,
  type Measure,
  measureColumns,
  measureList,
  periodStart,
  summed,
  summedMeasures,
} from './groupings.ts'
import { assertUnchanged, setState, type UsageState } from './state.ts'

/** Rows to add to one table. */
export interface AddedRows {
  readonly table: string
  readonly columns: readonly string[]
  /** One value per column; all values of a column are of one type. */
  readonly rows: readonly (readonly (string | number)[])[]
  /** Further columns whose value is 0 in all rows. */
  readonly zeros: readonly string[]
  /** The ON CONFLICT clause for rows whose key exists. */
  readonly onConflict: string
}

/** Access to the sums, which may be slow. */
export interface UsageDatabase extends Pick<Database, 'rows' | 'change'> {
  /** Like `change`, and adds the rows after the statements in the same transaction. */
  changeWith(statements: readonly Sql[], added: readonly AddedRows[]): Promise<void>
  /** Maximum range of record numbers per fold, which is one transaction. */
  readonly recordsPerFold: number
}

/**
 * The newest record before which no other can become visible: of records written concurrently, one with a smaller number may
 * become visible later than one with a larger number. Undefined if it is unknown at the moment.
 */
export type Horizon = () => Promise<number | undefined>

/** A transaction of this size takes a few milliseconds. */
export const recordsPerFoldUsual = 4_000

const allMarks = ['folded', 'foldedFurther', 'foldedRests'] as const
type Mark = (typeof allMarks)[number]

/** One step of folding: a range of records, the groupings they are added to, and what is summed of them. */
interface Step {
  readonly groupings: readonly Grouping[]
  readonly measures: readonly Measure[]
  readonly after: number
  readonly to: number
  /** Of records up to `countedTo`, those that started before `countedFrom` are already in these sums. */
  readonly countedTo: number
  readonly countedFrom: number
  /** What moves to `to`. The step fails if another process has moved one of them. */
  readonly marks: readonly Mark[]
}

const allGroupings = Object.keys(groupings) as readonly Grouping[]
const onlyFurther = Object.keys(furtherGroupings) as readonly Grouping[]
const onlyRests = [costRests]
const withoutRests = measureList.filter((measure) => measure !== costRests)

/**
 * Adds records to the sums in one transaction that also advances the mark of how far it went. The transaction fails as a whole
 * if another process has advanced the mark, so each record counts exactly once, whoever folds and whenever they are killed.
 * Returns how many records are left.
 */
export async function foldNext(
  database: UsageDatabase,
  state: UsageState,
  horizon: number,
): Promise<number> {
  if (Math.max(state.foldedFurther, state.foldedRests) > state.folded) {
    await followClearing(database, state)
    return horizon
  }
  const step = stepOf(state, horizon, database.recordsPerFold)
  if (step.to <= step.after) return 0
  const rows = await database.rows(newSums(step))
  const added = await addUp(rows, step.groupings)
  await database.changeWith(
    [
      ...step.marks.map((mark) => assertUnchanged(mark, state[mark], step.to)),
      assertUnchanged('epoch', state.epoch, state.epoch),
    ],
    [newGroups(added.groups), addedSums(added), laterUses(added.uses)],
  )
  return horizon - step.to
}

/** An older program, which did not know the further groupings or the rests, has cleared all sums in order to rebuild its own. */
async function followClearing(database: UsageDatabase, state: UsageState): Promise<void> {
  const { folded, foldedFurther, foldedRests, rebuiltTo, rebuiltFrom } = state
  const further = [
    assertUnchanged('foldedFurther', foldedFurther, 0),
    ...setFurtherCounted(rebuiltTo, rebuiltFrom),
  ]
  const rests = [assertUnchanged('foldedRests', foldedRests, 0)]
  await database.change(
    assertUnchanged('folded', folded, folded),
    ...(foldedFurther > folded ? further : []),
    ...(foldedRests > folded ? rests : []),
  )
}

/** An older program may have continued without the further groupings or the rests, so these catch up first, in this order. */
function stepOf(state: UsageState, horizon: number, recordsPerFold: number): Step {
  const { folded, foldedFurther, foldedRests } = state
  const next = (after: number, last: number) => ({
    after,
    to: Math.min(last, after + recordsPerFold),
  })
  const counted = { countedTo: state.rebuiltTo, countedFrom: state.rebuiltFrom }
  if (foldedFurther < folded) {
    // The rests of later records are not in the other groupings either, and are added to all groupings together.
    const hasRests = foldedFurther < foldedRests
    return {
      ...next(foldedFurther, hasRests ? foldedRests : folded),
      groupings: onlyFurther,
      measures: hasRests ? measureList : withoutRests,
      countedTo: state.furtherTo,
      countedFrom: state.furtherFrom,
      marks: ['foldedFurther'],
    }
  }
  const all = { ...counted, groupings: allGroupings }
  if (foldedRests < folded)
    return { ...all, ...next(foldedRests, folded), measures: onlyRests, marks: ['foldedRests'] }
  return { ...all, ...next(folded, horizon), measures: measureList, marks: allMarks }
}

const setFurtherCounted = (to: number, from: number) => [
  setState('furtherTo', to),
  setState('furtherFrom', from),
]

const recordColumns = usageDimensions
  .map((dimension) => dimensionColumns[dimension])
  .filter((column) => column !== 'tag')

function newSums({ measures, after, to, countedTo, countedFrom }: Step): Sql {
  const hour = `started_at - started_at % ${hourMs}`
  const isRest = measures === onlyRests
  const bucket = isRest ? [] : [closeFirstTokenOf]
  const group = [hour, ...recordColumns, 'tags', ...bucket].join(', ')
  const added = [
    ...measures.map(({ column, of }) => summed(column, of)),
    ...bucket.map((of) => `${of} AS ${firstTokenBucket}`),
  ].join(', ')
  const wanted = isRest ? sql`AND cost_rest_pico_usd <> 0` : empty
  // Records that a rebuild kept in the sums are not added again.
  return sql`SELECT ${raw(`${hour} AS hour, ${[...recordColumns, 'tags'].join(', ')}, MAX(started_at) AS used_at, ${added}`)}
    FROM usage_records WHERE sequence > ${after} AND sequence <= ${to}
      AND (sequence > ${countedTo} OR started_at >= ${countedFrom}) ${wanted}
    GROUP BY ${raw(group)}`
}

const groupColumns = [
  'id',
  'face',
  ...usageDimensions.map((dimension) => dimensionColumns[dimension]),
]

/** The rows of groups; those that exist stay as they are. */
export function newGroups(groups: readonly Group[]): AddedRows {
  const rows = groups.map(({ id, grouping, values }) => [
    id,
    grouping,
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

/** Adds to the sums of a group that exists. */
export const addToSums = addToExisting(measureColumns)

function addToExisting(columns: readonly string[]): string {
  return `ON CONFLICT (face, period, start_at, group_id) DO UPDATE SET ${columns
    .map((column) => `${column} = usage_rollups.${column} + excluded.${column}`)
    .join(', ')}`
}

function addedSums({ sums, columns }: AddedUp): AddedRows {
  return {
    table: 'usage_rollups',
    columns: [...idColumns, ...columns],
    rows: sums.map(({ grouping, period, startAt, groupId: id, values }) => [
      grouping,
      period,
      startAt,
      id,
      ...values,
    ]),
    zeros: measureColumns.filter((column) => !columns.includes(column)),
    onConflict: addToExisting(columns),
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

/** For any database; inserts the rows one at a time. */
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

/** Sums removed per transaction during a rebuild. */
const rowsPerClearing = 2_000

/** Removes the sums whose records all still exist, in steps; when done, folding starts over. */
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
  await database.change(
    ...allMarks.map((mark) => assertUnchanged(mark, state[mark], 0)),
    assertUnchanged('epoch', state.epoch, state.epoch + 1),
    assertUnchanged('clearing', 1, 0),
    setState('rebuiltTo', state.folded),
    setState('rebuiltFrom', keptFrom),
    ...setFurtherCounted(state.folded, keptFrom),
    // The days of that month whose records have been removed.
    sql`INSERT INTO usage_rollups (${raw(sumColumns.join(', '))})
      SELECT face, 'month', ${raw(String(month))}, group_id, ${raw(summedMeasures)} FROM usage_rollups
        WHERE period = 'day' AND start_at >= ${month} AND start_at < ${keptFrom} GROUP BY face, group_id`,
  )
}
