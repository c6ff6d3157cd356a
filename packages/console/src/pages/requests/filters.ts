import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Asked } from '../../api/client.ts'

/** What most look for. */
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
/** What requests are looked for by, as it stands in the page's address. */
const filterNames = ['time', 'from', 'to', ...usualFilters, ...furtherFilters] as const
export type FilterName = (typeof filterNames)[number]
/** What is not looked for is absent. Times are as an input of a date and a time has them, in this browser's zone. */
export type Filters = Readonly<Partial<Record<FilterName, string>>>

export type Query = NonNullable<Asked<'listRequests'>['query']>

/** The filters of the page's address, and what writes others there. */
export function useFilters(): readonly [Filters, (filters: Filters) => void] {
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false })
  const written = JSON.stringify(search)
  const filters = useMemo(() => withoutEmpty(JSON.parse(written) as Filters), [written])
  const navigate = useNavigate()
  return [
    filters,
    (changed) => void navigate({ to: '/requests', search: () => withoutEmpty(changed) }),
  ]
}

function withoutEmpty(given: Filters): Filters {
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

/** As the gateway is asked. `now` is in milliseconds since the epoch. */
export function queryOf({ time, from, to, ...rest }: Filters, now: number): Query {
  // What is typed by hand into the address is left to the gateway to refuse.
  const only = rest as Query
  const span = time === undefined ? undefined : spans[time]
  if (span !== undefined) return { ...only, from: isoOf(now - span) }
  return {
    ...only,
    ...(from !== undefined && { from: isoOf(Date.parse(from)) }),
    ...(to !== undefined && { to: isoOf(Date.parse(to)) }),
  }
}

/** Whether requests of now are among those that are looked for. */
export function isUntilNow({ from, to, time }: Filters): boolean {
  return time !== 'between' || (from === undefined && to === undefined)
}

/** A time that is none is left to the gateway to refuse. */
function isoOf(at: number): string {
  return Number.isNaN(at) ? '?' : new Date(at).toISOString()
}
