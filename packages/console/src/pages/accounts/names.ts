import { useMemo } from 'react'
import { useList } from '../../api/queries.ts'
import { type Kind, kinds } from './kinds.ts'

/** What accounts are called, by their ids. */
export interface Names {
  (id: string | undefined): string | undefined
  /** The address of its page. */
  placeOf(id: string | undefined): string | undefined
}

/** Of the first accounts of each kind: of others the id is shown. */
export function useNames(): Names {
  const accounts = useAccounts(allKinds)
  return useMemo(() => {
    const byId = new Map(accounts.map((account) => [account.id, account]))
    const find = (id: string | undefined) => (id === undefined ? undefined : byId.get(id))
    return Object.assign((id: string | undefined) => find(id)?.name ?? id, {
      placeOf(id: string | undefined) {
        const found = find(id)
        return found && `#${kinds[found.kind].path}/${found.id}`
      },
    })
  }, [accounts])
}

const allKinds: readonly Kind[] = ['organization', 'team', 'user']

/** The first accounts of these kinds. */
export function useAccounts(wanted: readonly Kind[]) {
  const { data: organizations } = useList(kinds.organization.list)
  const { data: teams } = useList(kinds.team.list)
  const { data: users } = useList(kinds.user.list)
  return useMemo(
    () =>
      [organizations, teams, users]
        .flatMap((list) => list?.pages ?? [])
        .flatMap(({ data }) => data)
        .filter(({ kind }) => wanted.includes(kind)),
    [organizations, teams, users, wanted],
  )
}
