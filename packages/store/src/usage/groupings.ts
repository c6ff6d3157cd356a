import { hash } from 'node:crypto'
import { joinMoney } from '@sluice/contract'
import {
  closeFirstTokenBounds,
  firstTokenBounds,
  type FirstTokens,
} from '@sluice/gateway/ports/first-token.ts'
import {
  type UsageDimension,
  type UsagePeriod,
  type UsageSums,
  usageDimensions,
} from '@sluice/gateway/ports/usage-store.ts'
import type { Row } from '../database.ts'
import { numberIn } from '../tables/columns.ts'

/**
 * The sets of dimensions by which sums are stored; the column `face` has the name of one. A single set of all dimensions could
 * answer every question, but would read every combination even for the simplest one, so there are smaller sets as well. Those with
 * tags hold a call once for each of its tags.
 */
const firstGroupings = {
  model: ['provider', 'model', 'operation'],
  holder: ['key', 'user', 'team', 'organization'],
  team: ['team', 'organization', 'provider', 'model', 'operation'],
  all: ['key', 'user', 'team', 'organization', 'provider', 'model', 'operation'],
  tag: ['key', 'user', 'team', 'organization', 'provider', 'model', 'operation', 'tag'],
} as const satisfies Groupings

/** Groupings added later. They are summed up to `folded_further` until they have caught up. */
export const furtherGroupings = {
  outcome: ['team', 'organization', 'provider', 'model', 'operation', 'outcome'],
  'holder-outcome': ['key', 'user', 'team', 'organization', 'outcome'],
  tagged: ['provider', 'model', 'operation', 'tag', 'outcome'],
  'tagged-holder': ['key', 'user', 'team', 'organization', 'tag', 'outcome'],
  whole: ['key', 'user', 'team', 'organization', 'provider', 'model', 'operation', 'outcome'],
  'tagged-whole': usageDimensions,
} as const satisfies Groupings

type Groupings = Readonly<Record<string, readonly UsageDimension[]>>

export const groupings = { ...firstGroupings, ...furtherGroupings }

export type Grouping = keyof typeof groupings

/** Ordered from the grouping with the fewest sums to that with the most, as far as this can be known. */
const fromSmall: readonly Grouping[] = [
  'model',
  'holder',
  'team',
  'outcome',
  'holder-outcome',
  'tagged',
  'tagged-holder',
  'all',
  'whole',
  'tag',
]

/** The smallest grouping that has all of these dimensions. */
export function groupingOf(dimensions: readonly UsageDimension[]): Grouping {
  const knows = (grouping: Grouping) => {
    const known: readonly UsageDimension[] = groupings[grouping]
    return dimensions.every((dimension) => known.includes(dimension))
  }
  return fromSmall.find(knows) ?? 'tagged-whole'
}

/** The columns of the dimensions in the groups and, except for the tag, in the records. */
export const dimensionColumns: Readonly<Record<UsageDimension, string>> = {
  key: 'key_id',
  user: 'user_id',
  team: 'team_id',
  organization: 'organization_id',
  provider: 'provider',
  model: 'model',
  operation: 'operation',
  tag: 'tag',
  outcome: 'outcome',
}

/** The values of a group's dimensions; empty if the grouping does not have the dimension or the records have no value. */
export type GroupValues = Readonly<Record<UsageDimension, string>>

/** Asks for the value of every dimension. */
export function groupValues(valueOf: (dimension: UsageDimension) => string): GroupValues {
  return {
    key: valueOf('key'),
    user: valueOf('user'),
    team: valueOf('team'),
    organization: valueOf('organization'),
    provider: valueOf('provider'),
    model: valueOf('model'),
    operation: valueOf('operation'),
    tag: valueOf('tag'),
    outcome: valueOf('outcome'),
  }
}

/** The id of a group: 22 characters that follow from its grouping and values. */
export function groupId(grouping: string, values: GroupValues): string {
  // Without the outcome if it does not count, so that ids stay the same as before outcomes existed.
  const counted = usageDimensions.filter((one) => one !== 'outcome' || values.outcome !== '')
  const text = JSON.stringify([grouping, ...counted.map((dimension) => values[dimension])])
  // 128 bits, so collisions cannot be found.
  return hash('sha256', text, 'base64url').slice(0, 22)
}

/** A sum: its column, and the SQL expression over the records. */
export interface Measure {
  readonly column: string
  readonly of: string
}

const when = (condition: string) => `COUNT(*) FILTER (WHERE ${condition})`
const plus = (column: string): Measure => ({ column, of: `SUM(COALESCE(${column}, 0))` })

const measures: Readonly<Record<Exclude<keyof UsageSums, 'firstTokens'>, Measure>> = {
  attempts: { column: 'attempts', of: 'COUNT(*)' },
  calls: { column: 'calls', of: when('attempt = 1') },
  completed: { column: 'completed', of: when("outcome = 'completed'") },
  failed: { column: 'failed', of: when("outcome = 'failed'") },
  cancelled: { column: 'cancelled', of: when("outcome = 'cancelled'") },
  incomplete: { column: 'incomplete', of: when("outcome = 'incomplete'") },
  unreported: { column: 'unreported', of: when('reported = 0') },
  estimated: { column: 'estimated', of: when('estimated = 1') },
  unsettled: { column: 'unsettled', of: when('unsettled = 1') },
  unknownCosts: { column: 'unknown_costs', of: when('cost_micro_usd IS NULL') },
  // Its whole millionths; `costRests` has the rest.
  cost: plus('cost_micro_usd'),
  inputTokens: plus('input_tokens'),
  outputTokens: plus('output_tokens'),
  cachedInputTokens: plus('cached_input_tokens'),
  cacheWriteTokens: plus('cache_write_tokens'),
  longCacheWriteTokens: plus('long_cache_write_tokens'),
  reasoningTokens: plus('reasoning_tokens'),
  audioInputTokens: plus('audio_input_tokens'),
  audioOutputTokens: plus('audio_output_tokens'),
  images: plus('images'),
  seconds: plus('seconds'),
  characters: plus('characters'),
  searchUnits: plus('search_units'),
}

/** Summed up to `folded_rests`, because older programs do not sum them. */
export const costRests = plus('cost_rest_pico_usd')

const bucketsOf = (bounds: readonly number[], column: string) =>
  [...bounds, undefined].map((to, at): Measure => {
    const above = at === 0 ? 'first_token_ms IS NOT NULL' : `first_token_ms > ${bounds[at - 1]}`
    const within = to === undefined ? '' : ` AND first_token_ms <= ${to}`
    return { column: `${column}_${at}`, of: when(above + within) }
  })

const firstTokens = bucketsOf(firstTokenBounds, 'first_tokens')

/**
 * One for each close bucket. They are counted from the bucket of each record, because most of some seventy conditions would hold for
 * none of them. Sums that an older program has made lack them.
 */
export const closeFirstTokenColumns: readonly string[] = [
  ...closeFirstTokenBounds,
  Number.POSITIVE_INFINITY,
].map((_, at) => `close_first_tokens_${at}`)

/** The place of a record's bucket among them; NULL without a first token. */
export const closeFirstTokenOf = `CASE WHEN first_token_ms IS NOT NULL THEN ${bucketIn(0, closeFirstTokenBounds.length)} END`

/** An expression for the first of these buckets whose bound is not below the time. */
function bucketIn(from: number, to: number): string {
  if (from === to) return String(from)
  const middle = Math.floor((from + to) / 2)
  return `CASE WHEN first_token_ms <= ${closeFirstTokenBounds[middle]} THEN ${bucketIn(from, middle)} ELSE ${bucketIn(middle + 1, to)} END`
}

/** All measures that are expressions over the records. */
export const measureList: readonly Measure[] = [
  ...Object.values(measures),
  costRests,
  ...firstTokens,
]
/** The columns of all sums. */
export const measureColumns: readonly string[] = [
  ...measureList.map(({ column }) => column),
  ...closeFirstTokenColumns,
]

/** PostgreSQL returns sums of integers as a type that arrives as text. */
export function summed(column: string, sum = `SUM(${column})`): string {
  const type = column === 'seconds' ? 'DOUBLE PRECISION' : 'BIGINT'
  return `CAST(${sum} AS ${type}) AS ${column}`
}

/** The sums of all measures over sums. */
export const summedMeasures = measureColumns.map((column) => summed(column)).join(', ')

/** Reads the sums from a row; all are 0 if nothing was summed. */
export function sumsOf(row: Row): UsageSums {
  const sum = ({ column }: Measure) => numberIn(row, column)
  const sums = Object.entries(measures).map(([name, measure]) => [name, sum(measure)])
  const cost = joinMoney(sum(measures.cost), sum(costRests))
  // The entries above cover every measure.
  return { ...Object.fromEntries(sums), cost, firstTokens: firstTokensOf(row) } as UsageSums
}

/** In close buckets, unless an older program has made some of the sums. */
function firstTokensOf(row: Row): FirstTokens {
  const counts = (columns: readonly string[]) => columns.map((column) => numberIn(row, column))
  const total = (list: readonly number[]) => list.reduce((sum, count) => sum + count, 0)
  const all = counts(firstTokens.map(({ column }) => column))
  const close = counts(closeFirstTokenColumns)
  return total(close) === total(all)
    ? { bounds: closeFirstTokenBounds, counts: close }
    : { bounds: firstTokenBounds, counts: all }
}

export const hourMs = 3_600_000
export const dayMs = 24 * hourMs

/** The start of the period that contains a moment, in UTC. */
export function periodStart(period: UsagePeriod, at: number): number {
  if (period !== 'month') return at - (at % (period === 'hour' ? hourMs : dayMs))
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
}

/** The end of the period that contains a moment. */
export function periodEnd(period: UsagePeriod, at: number): number {
  if (period !== 'month') return periodStart(period, at) + (period === 'hour' ? hourMs : dayMs)
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
}
