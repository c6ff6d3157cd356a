import { GatewayError, invalidRequest } from '@sluice/contract'
import type { Caller } from '@sluice/gateway/ports/api-key.ts'
import {
  type UsageDimension,
  type UsagePeriod,
  type UsageQuestion,
  type UsageScope,
  usageDimensions,
  usagePeriods,
} from '@sluice/gateway/ports/usage-book.ts'
import { isDay } from '@sluice/gateway/prices/calendar-day.ts'
import { one, whole } from './models.ts'
import type { JsonSchema } from './openapi-schema.ts'
import { query, text } from './openapi-written.ts'

export type UsageBy = UsagePeriod | UsageDimension
export type UsageFormat = 'json' | 'csv' | 'jsonl'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** The default time span of a question, in days. */
const usualDays = 30
/** Groups or records per page. */
const pageMax = 10_000
const pageUsual = 1_000

const byMost = 2

/** The dimensions a caller may use: all for administrators, fewer for others. */
interface Askable {
  readonly dimensions: readonly UsageDimension[]
  readonly now: number
}

type Query = Readonly<Record<string, unknown>>

/**
 * Parses a question about sums.
 *
 * @throws invalid_request with the name of the invalid field.
 */
export function readQuestion(given: unknown, askable: Askable): UsageQuestion {
  const scope = readScope(given, askable, hourMs)
  const by = readBy(one(given, 'by'), askable.dimensions)
  return { ...scope, by, ...readPage(given, by) }
}

/** Parses the time span and filters. Times must be multiples of `unitMs`. */
export function readScope(
  given: unknown,
  { dimensions, now }: Askable,
  unitMs: number,
): UsageScope {
  const to = readTime(given, 'to', unitMs) ?? now - (now % hourMs) + hourMs
  const from = readTime(given, 'from', unitMs) ?? Math.max(0, to - (to % dayMs) - usualDays * dayMs)
  if (from >= to) throw invalidRequest("'from' must be before 'to'", 'from')
  const only: Partial<Record<UsageDimension, string>> = {}
  for (const dimension of dimensions) {
    const value = one(given, dimension)
    if (value !== undefined) only[dimension] = value
  }
  return { from, to, only }
}

/** Refuses unknown parameters: a misspelled filter would otherwise be ignored. */
export function assertKnown(given: unknown, known: readonly string[]): void {
  for (const name of Object.keys(given as Query))
    if (!known.includes(name))
      throw invalidRequest(`There is no parameter ${JSON.stringify(name.slice(0, 100))}`, name)
}

export function readFormat(given: unknown): UsageFormat {
  const format = one(given, 'format') ?? 'json'
  if (format === 'json' || format === 'csv' || format === 'jsonl') return format
  throw invalidRequest("'format' must be json, csv or jsonl", 'format')
}

function readTime(given: unknown, param: string, unitMs: number): number | undefined {
  const value = one(given, param)
  if (value === undefined || value === '') return undefined
  const isTime = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/.test(
    value,
  )
  const time = isTime && isDay(value.slice(0, 10)) ? Date.parse(value) : Number.NaN
  if (Number.isNaN(time) || time < 0)
    throw invalidRequest(
      `'${param}' must be a day such as 2026-01-31, or a time such as 2026-01-31T08:00:00Z`,
      param,
    )
  if (time % unitMs !== 0)
    throw invalidRequest(
      `'${param}' must be a full hour: usage is summed by the hour, in UTC`,
      param,
    )
  return time
}

function readBy(
  value: string | undefined,
  dimensions: readonly UsageDimension[],
): readonly UsageBy[] {
  if (value === undefined || value === '') return []
  const names = value.split(',').map((name) => name.trim())
  const known: readonly string[] = [...usagePeriods, ...dimensions]
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined)
    throw invalidRequest(
      `'by' must be of ${known.join(', ')}, not ${JSON.stringify(unknown.slice(0, 100))}`,
      'by',
    )
  if (names.length > byMost || new Set(names).size < names.length)
    throw invalidRequest("'by' must be one or two different things", 'by')
  if (names.every((name) => usagePeriods.some((period) => period === name)) && names.length > 1)
    throw invalidRequest("'by' may hold one of hour, day and month", 'by')
  // All names were checked above.
  return names as readonly UsageBy[]
}

function readPage(given: unknown, by: readonly UsageBy[]): Pick<UsageQuestion, 'limit' | 'after'> {
  const limit = readLimit(given)
  const after = readCursor(given)
  if (!after) return { limit }
  const isPlace = after.length === by.length && by.every((name, at) => isKeyOf(name, after[at]))
  if (!isPlace) throw badCursor()
  return { limit, after }
}

export function readLimit(given: unknown): number {
  return whole(one(given, 'limit'), 'limit', { minimum: 1, maximum: pageMax, fallback: pageUsual })
}

/** Keys of periods are times; all others are names. */
function isKeyOf(by: UsageBy, value: string | number | undefined): boolean {
  const isPeriod = usagePeriods.some((period) => period === by)
  return typeof value === (isPeriod ? 'number' : 'string')
}

/** Times and sequence numbers are integers; a database refuses other numbers in these columns. */
function isKey(value: unknown): value is string | number {
  return typeof value === 'string' || (Number.isSafeInteger(value) && Number(value) >= 0)
}

/** The place after which a page begins, as written by `writeCursor`. */
export function readCursor(given: unknown): readonly (string | number)[] | undefined {
  const cursor = one(given, 'cursor')
  if (cursor === undefined || cursor === '') return undefined
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    if (Array.isArray(value) && value.every(isKey)) return value
  } catch {
    // Reported below.
  }
  throw badCursor()
}

export function badCursor(): GatewayError {
  return invalidRequest(
    "'cursor' must be the nextCursor of an answer to the same question",
    'cursor',
  )
}

export function writeCursor(place: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url')
}

/** Restricts team administrators to the usage of their team. */
export function withinTeam<Scope extends UsageScope>(scope: Scope, key: Caller): Scope {
  if (key.adminRole !== 'team') return scope
  const own = key.ownerId ?? ''
  const asked = scope.only.team ?? own
  if (own === '' || asked !== own)
    throw new GatewayError(
      'forbidden',
      'An administrator of a team may only read the usage of that team',
    )
  return { ...scope, only: { ...scope.only, team: own } }
}

const time = (name: string, what: string): JsonSchema =>
  query(name, text, `${what} A day (2026-01-31) or a time (2026-01-31T08:00:00Z), in UTC.`)

/** The parameters of `readScope` for the OpenAPI document. */
export function scopeParameters(dimensions: readonly UsageDimension[]): readonly JsonSchema[] {
  return [
    time('from', 'The first moment that counts. Default: 30 days before `to`, at midnight.'),
    time('to', 'The first moment that does not count any more. Default: the end of this hour.'),
    ...dimensions.map((dimension) =>
      query(dimension, text, `Only what is of this ${dimension}; an empty value: of none.`),
    ),
  ]
}

export const pageParameters: readonly JsonSchema[] = [
  query(
    'limit',
    { type: 'integer', minimum: 1, maximum: pageMax, default: pageUsual },
    'Items per page.',
  ),
  query('cursor', text, 'The `nextCursor` of the page before.'),
]

export function byParameter(dimensions: readonly UsageDimension[]): JsonSchema {
  const known = [...usagePeriods, ...dimensions]
  const description = `One or two, separated by a comma, of ${known.join(', ')}. Default: one sum of all.`
  return query('by', text, description)
}

export const formatParameter = query(
  'format',
  { enum: ['json', 'csv', 'jsonl'], default: 'json' },
  'csv and jsonl are streams of all that there is, without pages.',
)

export const allDimensions = usageDimensions
