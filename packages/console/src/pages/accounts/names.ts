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
  const accounts = useAccounts(['organization', 'team', 'user'])
  const find = (id: string | undefined) => accounts.find((account) => account.id === id)
  return Object.assign((id: string | undefined) => find(id)?.name ?? id, {
    placeOf(id: string | undefined) {
      const found = find(id)
      return found && `#${kinds[found.kind].path}/${found.id}`
    },
  })
}

/** The first accounts of these kinds. */
export function useAccounts(wanted: readonly Kind[]) {
  const organizations = useList(kinds.organization.list)
  const teams = useList(kinds.team.list)
  const users = useList(kinds.user.list)
  return [organizations, teams, users]
    .flatMap(({ data }) => data?.pages ?? [])
    .flatMap(({ data }) => data)
    .filter(({ kind }) => wanted.includes(kind))
}
