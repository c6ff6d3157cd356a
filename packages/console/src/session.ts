import type { Reply } from './api/client.ts'
import { useAnswer } from './api/queries.ts'

export type Session = NonNullable<Reply<'getSession'>['session']>
export type Role = NonNullable<Session['adminRole']> | 'caller'

/** The role that decides what the console shows; the gateway enforces the permissions. */
export function roleOf({ role, adminRole }: Session): Role {
  return role === 'administrator' ? (adminRole ?? 'owner') : 'caller'
}

/** The session of the signed-in user, if any. */
function useSession(): Session | undefined {
  return useAnswer('getSession').data?.session ?? undefined
}

/** The role of the signed-in user. */
export function useRole(): Role {
  const session = useSession()
  return session ? roleOf(session) : 'caller'
}

/** Whether the session belongs to a user account, whose keys the person has. */
export function useHasUser(): boolean {
  return useSession()?.levels.some(({ kind }) => kind === 'user') ?? false
}

/** Whether the signed-in user may create and change their own keys. */
export function useMayOwnKeys(): boolean {
  return useSession()?.ownKeys ?? false
}

const changers: Readonly<Record<'accounts' | 'organizations' | 'administrators', readonly Role[]>> =
  {
    accounts: ['owner', 'operator', 'team'],
    organizations: ['owner', 'operator'],
    administrators: ['owner'],
  }

/** Whether a role is shown the controls that change something. */
export function mayChange(what: keyof typeof changers, role: Role): boolean {
  return changers[what].includes(role)
}
