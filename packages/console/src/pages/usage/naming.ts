import { useMemo } from 'react'
import { usageTexts } from '../../texts/usage.ts'
import { useNames } from '../accounts/names.tsx'
import { isPeriod, type Naming, type Row } from './question.ts'

const accounted = ['key', 'user', 'team', 'organization'] as const

/** The display names of a dimension's values in these rows. Periods are in UTC, because usage is aggregated in UTC. */
export function useNaming(rows: readonly Row[]): Naming {
  const nameOf = useNames(
    rows.flatMap((row) => accounted.map((dimension) => textOf(row[dimension]))),
  )
  return useMemo(
    () => ({
      nameOf(dimension, value) {
        if (typeof value !== 'string' || value === '') return usageTexts.nobody
        return isPeriod(dimension) ? periodName(dimension, value) : nameOf(value)
      },
    }),
    [nameOf],
  )
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** A time such as 2026-11-22T08:00:00Z, shortened to the precision of the period. */
function periodName(dimension: string, time: string): string {
  if (dimension === 'month') return time.slice(0, 7)
  return dimension === 'day' ? time.slice(0, 10) : time.slice(0, 16).replace('T', ' ')
}
