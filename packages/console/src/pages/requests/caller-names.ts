import { useMemo } from 'react'
import { useList } from '../../api/queries.ts'
import { useNames } from '../accounts/names.ts'
import type { NameOf } from './request-columns.tsx'

/** What keys and accounts are called; of those that are not on the first page of their list the id. */
export function useNameOf(): NameOf {
  const accounts = useNames()
  const { data } = useList('listKeys')
  return useMemo(() => {
    const keys = new Map(data?.pages.flatMap((page) => page.data.map(({ id, name }) => [id, name])))
    return (id) => (id === null || id === undefined ? '–' : (keys.get(id) ?? accounts(id) ?? id))
  }, [data, accounts])
}
