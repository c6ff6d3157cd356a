import { GatewayError, invalidRequest } from '@sluice/contract'
import type { Caller } from '@sluice/gateway/ports/api-key.ts'
import {
  type UsageDimension,
  type UsagePeriod,
  type UsageQuestion,
  type UsageScope,
  usageDimensions,
  usagePeriods,
} from '@sluice/gateway/ports/usage-store.ts'
import { isDay } from '@sluice/gateway/prices/calendar-day.ts'
import { type Parameter, parameter } from './openapi-endpoint.ts'
import { type Values, whole } from './query.ts'
import { text } from './shapes.ts'

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

type Scope = Values<Record<'from' | 'to' | UsageDimension, Parameter>>
type Question = Scope & Values<typeof pageParameters> & { readonly by?: string | undefined }

/**
 * Parses a question about sums.
 *
 * @throws invalid_request with the name of the invalid field.
 */
export function readQuestion(given: Question, askable: Askable): UsageQuestion {
  const scope = readScope(given, askable, hourMs)
  const by = readBy(given.by, askable.dimensions)
  return { ...scope, by, ...readPage(given, by) }
}

/** Parses the time span and filters. Times must be multiples of `unitMs`. */
export function readScope(given: Scope, { dimensions, now }: Askable, unitMs: number): UsageScope {
  const to = readTime(given.to, 'to', unitMs) ?? now - (now % hourMs) + hourMs
  const from =
    readTime(given.from, 'from', unitMs) ?? Math.max(0, to - (to % dayMs) - usualDays * dayMs)
  if (from >= to) throw invalidRequest("'from' must be before 'to'", 'from')
  const only: Partial<Record<UsageDimension, string>> = {}
  for (const dimension of dimensions) {
    const value = given[dimension]
    if (value !== undefined) only[dimension] = value
  }
  return { from, to, only }
}

export function readFormat(format = 'json'): UsageFormat {
  if (format === 'json' || format === 'csv' || format === 'jsonl') return format
  throw invalidRequest("'format' must be json, csv or jsonl", 'format')
}

function readTime(value: string | undefined, param: string, unitMs: number): number | undefined {
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

/**
 * Parses what sums are grouped by, such as `team,model`.
 *
 * @throws invalid_request that names what is not among the dimensions.
 */
export function readBy(
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

function readPage(
  given: Values<typeof pageParameters>,
  by: readonly UsageBy[],
): Pick<UsageQuestion, 'limit' | 'after'> {
  const limit = readLimit(given.limit)
  const after = readCursor(given.cursor)
  if (!after) return { limit }
  const isPlace = after.length === by.length && by.every((name, at) => isKeyOf(name, after[at]))
  if (!isPlace) throw badCursor()
  return { limit, after }
}

export function readLimit(limit: string | undefined): number {
  return whole(limit, 'limit', { minimum: 1, maximum: pageMax, fallback: pageUsual })
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
export function readCursor(cursor: string | undefined): readonly (string | number)[] | undefined {
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

const time = (what: string) =>
  parameter(text, `${what} A day (2026-01-31) or a time (2026-01-31T08:00:00Z), in UTC.`)

/** The parameters of `readScope`. */
export function scopeParameters<Dimension extends UsageDimension>(
  dimensions: readonly Dimension[],
): Readonly<Record<'from' | 'to' | Dimension, Parameter>> {
  const filters = dimensions.map((dimension) => [
    dimension,
    parameter(text, `Only what is of this ${dimension}; an empty value: of none.`),
  ])
  return {
    from: time('The first moment that counts. Default: 30 days before `to`, at midnight.'),
    to: time('The first moment that does not count any more. Default: the end of this hour.'),
    ...(Object.fromEntries(filters) as Record<Dimension, Parameter>),
  }
}

export const pageParameters = {
  limit: parameter(
    { type: 'integer', minimum: 1, maximum: pageMax, default: pageUsual },
    'Items per page.',
  ),
  cursor: parameter(text, 'The `nextCursor` of the page before.'),
}

export function byParameter(dimensions: readonly UsageDimension[]): Parameter {
  const known = [...usagePeriods, ...dimensions]
  const description = `One or two, separated by a comma, of ${known.join(', ')}. Default: one sum of all.`
  return parameter(text, description)
}

export const formatParameter = parameter(
  { enum: ['json', 'csv', 'jsonl'], default: 'json' },
  'csv and jsonl are streams of all that there is, without pages.',
)

export const allDimensions = usageDimensions
