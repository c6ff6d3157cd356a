import { Anchor } from '@mantine/core'
import { useMemo } from 'react'
import { useNamed } from '../../api/names.ts'
import { kinds } from './kinds.ts'

/** The name of a key or account by its id; the id itself while the name is unknown. */
export type NameOf = (id: string) => string

/** Loads the names of these ids. */
export function useNames(ids: readonly (string | null | undefined)[]): NameOf {
  const found = useNamed(ids)
  return useMemo(() => (id) => found.get(id)?.name ?? id, [found])
}

interface NameLinkProps {
  readonly id: string | null | undefined
  /** Shown if there is no id. */
  readonly none: string
}

/** The name of a key or an account, with a link to its page. */
export function NameLink({ id, none }: NameLinkProps) {
  const found = useNamed([id]).get(id ?? '')
  // Keys from the settings have no page.
  if (!found || found.isFixed) return found?.name ?? id ?? none
  const path = found.kind === 'key' ? '/keys' : kinds[found.kind].path
  return (
    <Anchor href={`#${path}/${found.id}`} underline="always">
      {found.name}
    </Anchor>
  )
}
