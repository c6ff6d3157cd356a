import { setImmediate as nextTurn } from 'node:timers/promises'
import { type UsageDimension, usagePeriods } from '@sluice/gateway/ports/usage-store.ts'
import type { Row } from '../database.ts'
import { numberIn, textIn } from '../tables/columns.ts'
import {
  closeFirstTokenColumns,
  dimensionColumns,
  type Grouping,
  groupings,
  type GroupValues,
  groupId,
  groupValues,
  measureList,
  periodStart,
} from './groupings.ts'

/** A group of sums: one combination of dimension values in one grouping. */
export interface Group {
  readonly id: string
  /** The name of a grouping. A newer program may have others than this one. */
  readonly grouping: string
  readonly values: GroupValues
}

interface GroupSums extends Group {
  /** By the start of the hour; the values of each summed column. */
  readonly hours: Map<number, number[]>
}

/** What a group's records used together in one period. */
export interface Sums {
  readonly grouping: string
  readonly period: string
  /** Milliseconds since the epoch. */
  readonly startAt: number
  readonly groupId: string
  /** One for each of the summed columns, in their order. */
  readonly values: readonly number[]
}

export interface AddedUp {
  readonly groups: readonly Group[]
  /** The columns that the values of the sums belong to; all other measures are 0 in every sum. */
  readonly columns: readonly string[]
  readonly sums: readonly Sums[]
  /** When each key was last used, in milliseconds since the epoch. */
  readonly uses: ReadonlyMap<string, number>
}

/** The column of a row with the place of its records' bucket in `closeFirstTokenColumns`. */
export const firstTokenBucket = 'first_token_bucket'
const recordColumns = measureList.map(({ column }) => column)

/** Rows processed per turn of the event loop, which takes a few milliseconds. */
const rowsPerTurn = 100

/**
 * Computes sums by hour, day and month for the given groupings. The rows are already summed by hour, all dimensions and the bucket of
 * the first token.
 */
export async function addUp(rows: readonly Row[], known: readonly Grouping[]): Promise<AddedUp> {
  const groups = new Map<string, GroupSums>()
  const uses = new Map<string, number>()
  const buckets = new Set(rows.map((row) => row[firstTokenBucket]))
  // Most calls use no images, audio and the like.
  const columns = [
    ...recordColumns.filter((column) => rows.some((row) => numberIn(row, column) !== 0)),
    ...closeFirstTokenColumns.filter((_, at) => buckets.has(at)),
  ]
  for (const [at, row] of rows.entries()) {
    if (at % rowsPerTurn === rowsPerTurn - 1) await nextTurn()
    const key = textIn(row, 'key_id')
    uses.set(key, Math.max(uses.get(key) ?? 0, numberIn(row, 'used_at')))
    const added = columns.map((column) => numberIn(row, column))
    const place = columns.indexOf(bucketOf(row) ?? '')
    if (place >= 0) added[place] = numberIn(row, 'attempts')
    addRow(row, added, { known, groups })
  }
  const sums: Sums[] = []
  let turn = 0
  for (const group of groups.values()) {
    if ((turn += 1) % rowsPerTurn === 0) await nextTurn()
    addPeriods(group, sums)
  }
  return { groups: [...groups.values()], columns, sums, uses }
}

/** The column for the time to the first token of a row's records, which have the same bucket; undefined if they have none. */
function bucketOf(row: Row): string | undefined {
  const bucket = row[firstTokenBucket]
  return bucket == null ? undefined : closeFirstTokenColumns[numberIn(row, firstTokenBucket)]
}

function addRow(
  row: Row,
  added: readonly number[],
  {
    known,
    groups,
  }: { readonly known: readonly Grouping[]; readonly groups: Map<string, GroupSums> },
): void {
  const hour = numberIn(row, 'hour')
  const tags = tagsOf(row['tags'])
  for (const grouping of known) {
    const dimensions: readonly UsageDimension[] = groupings[grouping]
    const each = dimensions.includes('tag') ? tags : ['']
    for (const tag of each) {
      const { hours } = groupOf(grouping, { row, dimensions, tag }, groups)
      addTo(hours, hour, added)
    }
  }
}

/** Computing the id of a group takes a hash, so it is done once per group. */
function groupOf(
  grouping: Grouping,
  {
    row,
    dimensions,
    tag,
  }: { readonly row: Row; readonly dimensions: readonly UsageDimension[]; readonly tag: string },
  groups: Map<string, GroupSums>,
): GroupSums {
  // Texts in the database never contain NUL.
  let name: string = grouping
  for (const dimension of dimensions) name += `\0${valueOf(row, dimension, tag)}`
  const found = groups.get(name)
  if (found) return found
  const values = groupValues((dimension) =>
    dimensions.includes(dimension) ? valueOf(row, dimension, tag) : '',
  )
  const made = { id: groupId(grouping, values), grouping, values, hours: new Map() }
  groups.set(name, made)
  return made
}

function valueOf(row: Row, dimension: UsageDimension, tag: string): string {
  return dimension === 'tag' ? tag : textIn(row, dimensionColumns[dimension])
}

function addTo(sums: Map<number, number[]>, at: number, added: readonly number[]): void {
  const before = sums.get(at)
  if (!before) {
    sums.set(at, [...added])
    return
  }
  for (let index = 0; index < added.length; index++)
    before[index] = (before[index] ?? 0) + (added[index] ?? 0)
}

/** Days are summed from hours, and months from days. */
function addPeriods({ id, grouping, hours }: GroupSums, sums: Sums[]): void {
  let parts: ReadonlyMap<number, readonly number[]> = hours
  for (const period of usagePeriods) {
    const whole = new Map<number, number[]>()
    for (const [at, values] of parts) addTo(whole, periodStart(period, at), values)
    for (const [startAt, values] of whole)
      sums.push({ grouping, period, startAt, groupId: id, values })
    parts = whole
  }
}

function tagsOf(value: unknown): readonly string[] {
  if (typeof value !== 'string') return []
  const tags: unknown = JSON.parse(value)
  return Array.isArray(tags) ? [...new Set(tags.filter((tag) => typeof tag === 'string'))] : []
}
