import { useMemo } from 'react'
import { useNamed } from '../../api/names.ts'
import { kinds } from './kinds.ts'

/** Looks up the name of a key or account by its id; returns the id itself while the name is unknown. */
export interface Names {
  (id: string): string
  /** The address of its page; undefined if it is not known. */
  placeOf(id: string | null | undefined): string | undefined
}

/** Loads the names of these ids. */
export function useNames(ids: readonly (string | null | undefined)[]): Names {
  const found = useNamed(ids)
  return useMemo(
    () =>
      Object.assign((id: string) => found.get(id)?.name ?? id, {
        placeOf(id: string | null | undefined) {
          const one = found.get(id ?? '')
          // Keys from the settings have no page.
          if (!one || one.isFixed) return undefined
          return one.kind === 'key' ? `#/keys/${one.id}` : `#${kinds[one.kind].path}/${one.id}`
        },
      }),
    [found],
  )
}
