import type { Reply } from './api/client.ts'
import { useAnswer } from './api/queries.ts'

export type Session = NonNullable<Reply<'getSession'>['session']>
export type Role = NonNullable<Session['adminRole']> | 'caller'

/** What a role lets somebody do: the gateway decides, and the console shows no more than that. */
export function roleOf({ role, adminRole }: Session): Role {
  return role === 'administrator' ? (adminRole ?? 'owner') : 'caller'
}

/** Who is signed in. */
function useSession(): Session | undefined {
  return useAnswer('getSession').data?.session ?? undefined
}

/** The role of whoever is signed in. */
export function useRole(): Role {
  const session = useSession()
  return session ? roleOf(session) : 'caller'
}

/** Whether whoever is signed in belongs to a user, whose keys they have. */
export function useHasUser(): boolean {
  return useSession()?.levels.some(({ kind }) => kind === 'user') ?? false
}

/** Whether whoever is signed in makes and changes keys of their own. */
export function useMayOwnKeys(): boolean {
  return useSession()?.ownKeys ?? false
}

const changers: Readonly<Record<'accounts' | 'organizations' | 'administrators', readonly Role[]>> =
  {
    accounts: ['owner', 'operator', 'team'],
    organizations: ['owner', 'operator'],
    administrators: ['owner'],
  }

/** Whether a role is shown what changes something. */
export function mayChange(what: keyof typeof changers, role: Role): boolean {
  return changers[what].includes(role)
}
