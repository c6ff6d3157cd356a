import { hash } from 'node:crypto'
import { firstTokenBounds } from '../ports/first-token.ts'
import {
  type UsageDimension,
  type UsagePeriod,
  type UsageSums,
  usageDimensions,
} from '../ports/usage-book.ts'

/**
 * What sums are kept by. One of all dimensions would answer every question, and read every combination for the simplest; so
 * there are smaller ones beside it. What has tags is summed once more for each of them.
 */
const firstFaces = {
  model: ['provider', 'model', 'operation'],
  holder: ['key', 'user', 'team', 'organization'],
  team: ['team', 'organization', 'provider', 'model', 'operation'],
  all: ['key', 'user', 'team', 'organization', 'provider', 'model', 'operation'],
  tag: ['key', 'user', 'team', 'organization', 'provider', 'model', 'operation', 'tag'],
} as const satisfies Faces

/** Those that came later: they are summed as far as `folded_further` says, until they have caught up. */
export const furtherFaces = {
  outcome: ['team', 'organization', 'provider', 'model', 'operation', 'outcome'],
  'holder-outcome': ['key', 'user', 'team', 'organization', 'outcome'],
  tagged: ['provider', 'model', 'operation', 'tag', 'outcome'],
  'tagged-holder': ['key', 'user', 'team', 'organization', 'tag', 'outcome'],
  whole: ['key', 'user', 'team', 'organization', 'provider', 'model', 'operation', 'outcome'],
  'tagged-whole': usageDimensions,
} as const satisfies Faces

type Faces = Readonly<Record<string, readonly UsageDimension[]>>

export const faces = { ...firstFaces, ...furtherFaces }

export type Face = keyof typeof faces

/** From the one of the fewest sums, as far as that can be told, to those of the most. */
const fromSmall: readonly Face[] = [
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

/** The smallest that knows all of these. */
export function faceOf(dimensions: readonly UsageDimension[]): Face {
  const knows = (face: Face) => {
    const known: readonly UsageDimension[] = faces[face]
    return dimensions.every((dimension) => known.includes(dimension))
  }
  return fromSmall.find(knows) ?? 'tagged-whole'
}

/** The columns of the dimensions, in the groups and, but for the tag, in the records. */
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

/** What the sums of a face are of; a dimension that does not count, or that there is not, is empty. */
export type GroupValues = Readonly<Record<UsageDimension, string>>

export function groupId(face: Face, values: GroupValues): string {
  // As it was made before there were outcomes, where they do not count.
  const counted = usageDimensions.filter((one) => one !== 'outcome' || values.outcome !== '')
  const text = JSON.stringify([face, ...counted.map((dimension) => values[dimension])])
  // 128 bits: nobody finds two groups of one id.
  return hash('sha256', text, 'base64url').slice(0, 22)
}

/** A sum: its column, and what it adds up of the records. */
interface Measure {
  readonly column: string
  readonly of: string
}

const when = (condition: string) => `SUM(CASE WHEN ${condition} THEN 1 ELSE 0 END)`
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
  costMicroUsd: plus('cost_micro_usd'),
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

const firstTokens = [...firstTokenBounds, undefined].map((to, at): Measure => {
  const above =
    at === 0 ? 'first_token_ms IS NOT NULL' : `first_token_ms > ${firstTokenBounds[at - 1]}`
  const within = to === undefined ? '' : ` AND first_token_ms <= ${to}`
  return { column: `first_tokens_${at}`, of: when(above + within) }
})

/** All that is summed, in the order of its columns. */
export const measureList: readonly Measure[] = [...Object.values(measures), ...firstTokens]
export const measureColumns = measureList.map(({ column }) => column)

/** PostgreSQL's sums of whole numbers are of a type that comes as text. */
export function summed(column: string, sum = `SUM(${column})`): string {
  const type = column === 'seconds' ? 'DOUBLE PRECISION' : 'BIGINT'
  return `CAST(${sum} AS ${type}) AS ${column}`
}

/** The sums in a row that has a column for each; where nothing was summed all are 0. */
export function sumsOf(row: Readonly<Record<string, unknown>>): UsageSums {
  const sum = ({ column }: Measure) => Number(row[column] ?? 0)
  const sums = Object.entries(measures).map(([name, measure]) => [name, sum(measure)])
  // Every measure has been given its sum.
  return { ...Object.fromEntries(sums), firstTokens: firstTokens.map(sum) } as UsageSums
}

export const hourMs = 3_600_000
export const dayMs = 24 * hourMs

/** When the period began in which a moment is, in UTC. */
export function periodStart(period: UsagePeriod, at: number): number {
  if (period !== 'month') return at - (at % (period === 'hour' ? hourMs : dayMs))
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
}

/** When the period ends in which a moment is. */
export function periodEnd(period: UsagePeriod, at: number): number {
  if (period !== 'month') return periodStart(period, at) + (period === 'hour' ? hourMs : dayMs)
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
}
