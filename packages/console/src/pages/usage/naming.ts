import { useList } from '../../api/queries.ts'
import { usageTexts } from '../../texts/usage.ts'
import { useNames } from '../accounts/names.ts'
import { isPeriod, type Naming } from './question.ts'

/** What the values of a dimension are called. Periods are of UTC, as usage is summed. */
export function useNaming(): Naming {
  const accountName = useNames()
  const keys = (useList('listKeys').data?.pages ?? []).flatMap(({ data }) => data)
  return {
    nameOf(dimension, value) {
      if (typeof value !== 'string' || value === '') return usageTexts.nobody
      if (isPeriod(dimension)) return periodName(dimension, value)
      const name = keys.find(({ id }) => id === value)?.name
      return name ?? accountName(value) ?? value
    },
  }
}

/** 2026-11-22T08:00:00Z as much as the period tells of it. */
function periodName(dimension: string, time: string): string {
  if (dimension === 'month') return time.slice(0, 7)
  return dimension === 'day' ? time.slice(0, 10) : time.slice(0, 16).replace('T', ' ')
}
