import { hash, randomBytes } from 'node:crypto'
import type { ApiKey, Caller } from '../ports/api-key.ts'
import type { Principal, Session } from '../ports/session.ts'
import type { Store } from '../ports/store.ts'
import type { Dated } from './callers.ts'
import { identityHash } from './oidc-grant.ts'
import type { LoggedOut } from './oidc-logout.ts'
import { principalId } from './sign-in.ts'

/** Somebody who is signed in, until `expiresAt` at the latest. */
export interface SignedIn {
  readonly caller: Caller
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
  /** Who said who it is; absent where a key did. */
  readonly issuer?: string
}

/** Who is signed in at the console. */
export interface Sessions {
  /** The token of a new session, which is kept nowhere, and when it ends. */
  open(
    of: { readonly keyHash: string } | { readonly principal: Omit<Principal, 'expiresAt'> },
  ): Promise<{ readonly token: string; readonly expiresAt: number }>
  /** Undefined where the session has ended, and when its secret or one of its owners is not valid any more. */
  find(token: string): Promise<SignedIn | undefined>
  /** Ends it, on every replica at once. False where there was none. */
  close(token: string): Promise<boolean>
  /** Ends all that somebody has, or those that began with one session at the issuer; returns the principals' ids. */
  closeOf(loggedOut: LoggedOut): Promise<readonly string[]>
}

export interface SessionOptions {
  readonly store: Pick<
    Store,
    'addSession' | 'findSession' | 'listPrincipalSessions' | 'removeSession'
  >
  readonly keys: {
    /** Whose secret has this hash; undefined where it is not valid. */
    findHash(hash: string): Caller | undefined
    /** A key without a secret, with the owners that it has now. */
    dated(key: ApiKey): Dated | undefined
    /** Takes up what other replicas have changed. */
    reload(): Promise<void>
  }
  readonly settings: () => {
    /** How long a session lasts. */
    readonly sessionMs: number
    /** Whose word is taken. */
    readonly oidc?: { readonly issuer: string }
  }
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

const tokenBytes = 32
/** What another replica has changed is known here within a second; whoever it signed in may come here before that. */
const freshMs = 5_000

/** Sessions are read from the store with each request, so that an end of one holds everywhere at once. */
export function createSessions({ store, keys, settings, now }: SessionOptions): Sessions {
  function callerOf({ keyHash, principal }: Session): Caller | undefined {
    if (keyHash !== undefined) return keys.findHash(keyHash)
    if (principal?.issuer !== settings().oidc?.issuer) return undefined
    const dated = principal && keys.dated(principal)
    return dated && dated.expiresAt > now() ? dated.caller : undefined
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
      // What it has running ends with it.
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
      const meant = (await store.listPrincipalSessions()).filter(({ principal }) =>
        isMeant(principal, loggedOut),
      )
      const ended: string[] = []
      for (const { hash: sessionHash, principal } of meant)
        if (principal && (await store.removeSession(sessionHash))) ended.push(principal.id)
      return [...new Set(ended)]
    },
  }
}

/** Where the issuer has not named its session at the sign-in, its end is that of all that the subject has. */
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
