import type { OperationInput } from '../../api/client.ts'

/** The most common filters. */
export const usualFilters = [
  'requestedModel',
  'model',
  'provider',
  'key',
  'team',
  'outcome',
  'status',
  'tag',
  'id',
] as const
export const furtherFilters = ['user', 'organization', 'operation', 'format'] as const
/** The filters of the request list, as named in the page's address. */
const filterNames = ['time', 'from', 'to', ...usualFilters, ...furtherFilters] as const
export type FilterName = (typeof filterNames)[number]
/** Filters that are not set are absent. Times have the format of a date and time input, in this browser's time zone. */
export type Filters = Readonly<Partial<Record<FilterName, string>>>

export type Query = NonNullable<OperationInput<'listRequests'>['query']>

/** Without empty filters, and without what is no filter. */
export function withoutEmpty(given: Filters): Filters {
  return Object.fromEntries(
    filterNames.flatMap((name) => {
      const value = given[name]?.trim() ?? ''
      return value === '' ? [] : [[name, value]]
    }),
  )
}

const minuteMs = 60_000
const spans: Readonly<Record<string, number>> = {
  '1h': 60 * minuteMs,
  '1d': 24 * 60 * minuteMs,
  '7d': 7 * 24 * 60 * minuteMs,
}

/** The filters as a query of the gateway. `now` is in milliseconds since the epoch. */
export function queryOf({ time, from, to, ...rest }: Filters, now: number): Query {
  // Invalid values typed into the address are passed on, so that the gateway refuses them.
  const only = rest as Query
  const span = time === undefined ? undefined : spans[time]
  if (span !== undefined) return { ...only, from: isoOf(now - span) }
  return {
    ...only,
    ...(from !== undefined && { from: isoOf(Date.parse(from)) }),
    ...(to !== undefined && { to: isoOf(Date.parse(to)) }),
  }
}

/** Whether the filters include requests of the current time. */
export function isUntilNow({ from, to, time }: Filters): boolean {
  return time !== 'between' || (from === undefined && to === undefined)
}

/** An invalid time is passed on as `?`, so that the gateway refuses it. */
function isoOf(at: number): string {
  return Number.isNaN(at) ? '?' : new Date(at).toISOString()
}
