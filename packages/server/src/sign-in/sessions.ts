import { hash, randomBytes } from 'node:crypto'
import type { ApiKey, Caller } from '@sluice/gateway/ports/api-key.ts'
import type { Principal, Session } from '@sluice/gateway/ports/session.ts'
import type { Store } from '@sluice/gateway/ports/store.ts'
import type { ExpiringCaller } from '@sluice/gateway/accounts/callers.ts'
import { identityHash } from './oidc-grant.ts'
import type { LoggedOut } from './oidc-logout.ts'
import { principalId } from './sign-in.ts'

/** A signed-in caller, until `expiresAt` at the latest. */
export interface SignedIn {
  readonly caller: Caller
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
  /** The issuer that authenticated the caller; absent for a key. */
  readonly issuer?: string
}

/** The console sessions. */
export interface Sessions {
  /** Opens a session. Returns its token, which is not stored, and when it expires. */
  open(
    of: { readonly keyHash: string } | { readonly principal: Omit<Principal, 'expiresAt'> },
  ): Promise<{ readonly token: string; readonly expiresAt: number }>
  /** Undefined if the session has ended, or its key or one of its owners is no longer valid. */
  find(token: string): Promise<SignedIn | undefined>
  /** Ends a session on all replicas at once. False if there was none. */
  close(token: string): Promise<boolean>
  /** Ends all sessions of a subject, or those that began with one session at the issuer. Returns the ids of the principals. */
  closeOf(loggedOut: LoggedOut): Promise<readonly string[]>
}

export interface SessionOptions {
  readonly store: Pick<
    Store,
    'addSession' | 'findSession' | 'listPrincipalSessions' | 'removeSession'
  >
  readonly keys: {
    /** The caller whose secret has this hash; undefined if not valid. */
    findHash(hash: string): Caller | undefined
    /** A key without a secret, with its current owners. */
    expiringCaller(key: ApiKey): ExpiringCaller | undefined
    /** Loads changes made by other replicas. */
    reload(): Promise<void>
  }
  readonly settings: () => {
    /** Session lifetime, in milliseconds. */
    readonly sessionMs: number
    /** The trusted issuer. */
    readonly oidc?: { readonly issuer: string }
  }
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

const tokenBytes = 32
/** Changes by other replicas arrive within a second, but a user they have just signed in may come here sooner. */
const freshMs = 5_000

/** Sessions are read from the store on each request, so that ending one takes effect everywhere at once. */
export function createSessions({ store, keys, settings, now }: SessionOptions): Sessions {
  function callerOf({ keyHash, principal }: Session): Caller | undefined {
    if (keyHash !== undefined) return keys.findHash(keyHash)
    if (principal?.issuer !== settings().oidc?.issuer) return undefined
    const found = principal && keys.expiringCaller(principal)
    return found && found.expiresAt > now() ? found.caller : undefined
  }

  async function callerSoon(session: Session): Promise<Caller | undefined> {
    const found = callerOf(session)
    if (found || session.createdAt + freshMs < now()) return found
    await keys.reload()
    return callerOf(session)
  }

  return {
    async open(of) {
      const token = randomBytes(tokenBytes).toString('base64url')
      const createdAt = now()
      const expiresAt = createdAt + settings().sessionMs
      // Calls in progress end with the session.
      const kept = 'principal' in of ? { principal: { ...of.principal, expiresAt } } : of
      await store.addSession({ hash: hashToken(token), ...kept, createdAt, expiresAt })
      return { token, expiresAt }
    },
    async find(token) {
      const session = await store.findSession(hashToken(token))
      if (!session || session.expiresAt <= now()) return undefined
      const caller = await callerSoon(session)
      const { expiresAt, principal } = session
      return caller && { caller, expiresAt, ...(principal && { issuer: principal.issuer }) }
    },
    close: (token) => store.removeSession(hashToken(token)),
    async closeOf(loggedOut) {
      const sessions = (await store.listPrincipalSessions()).filter(({ principal }) =>
        isMeant(principal, loggedOut),
      )
      const ended: string[] = []
      for (const { hash: sessionHash, principal } of sessions)
        if (principal && (await store.removeSession(sessionHash))) ended.push(principal.id)
      return [...new Set(ended)]
    },
  }
}

/** If the issuer gave no session id at sign-in, the end of any session ends all sessions of the subject. */
function isMeant(
  principal: Principal | undefined,
  { issuer, subject, session }: LoggedOut,
): boolean {
  if (principal?.issuer !== issuer) return false
  const isSubject =
    subject !== undefined && principal.id === principalId(identityHash(issuer, subject))
  if (subject !== undefined && !isSubject) return false
  const { issuerSession } = principal
  if (session === undefined || (isSubject && issuerSession === undefined)) return true
  return issuerSession === session
}

function hashToken(token: string): string {
  return hash('sha256', token)
}
