import { useMemo } from 'react'
import { useNamed } from '../../api/names.ts'
import { kinds } from './kinds.ts'

/** What keys and accounts are called, by their ids; the id itself while nobody knows. */
export interface Names {
  (id: string): string
  /** The address of its page; undefined where it is not known. */
  placeOf(id: string | null | undefined): string | undefined
}

/** The names of these. */
export function useNames(ids: readonly (string | null | undefined)[]): Names {
  const found = useNamed(ids)
  return useMemo(
    () =>
      Object.assign((id: string) => found.get(id)?.name ?? id, {
        placeOf(id: string | null | undefined) {
          const one = found.get(id ?? '')
          // Keys of the settings have no page.
          if (!one || one.isFixed) return undefined
          return one.kind === 'key' ? `#/keys/${one.id}` : `#${kinds[one.kind].path}/${one.id}`
        },
      }),
    [found],
  )
}
