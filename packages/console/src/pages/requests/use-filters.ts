import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { type Filters, withoutEmpty } from './filters.ts'

/** The filters in the page's address, and a function that replaces them. */
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
