import { hash, randomBytes } from 'node:crypto'
import type { ApiKey, Caller } from '../ports/api-key.ts'
import type { Session } from '../ports/session.ts'
import type { Store } from '../ports/store.ts'
import type { Dated } from './callers.ts'

/** Somebody who is signed in, until `expiresAt` at the latest. */
export interface SignedIn {
  readonly caller: Caller
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

/** Who is signed in at the console. */
export interface Sessions {
  /** The token of a new session, which is kept nowhere. */
  open(of: Pick<Session, 'keyHash' | 'principal'>): Promise<string>
  /** Undefined where the session has ended, and when its secret or one of its owners is not valid any more. */
  find(token: string): Promise<SignedIn | undefined>
  /** Ends it, on every replica at once. False where there was none. */
  close(token: string): Promise<boolean>
}

export interface SessionOptions {
  readonly store: Pick<Store, 'addSession' | 'findSession' | 'removeSession'>
  readonly keys: {
    /** Whose secret has this hash; undefined where it is not valid. */
    findHash(hash: string): Caller | undefined
    /** A key without a secret, with the owners that it has now. */
    dated(key: ApiKey): Dated | undefined
  }
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** One working day and a little more: nobody is asked to sign in twice a day. */
export const sessionMs = 12 * 60 * 60 * 1000
const tokenBytes = 32

/** Sessions are read from the store with each request, so that an end of one holds everywhere at once. */
export function createSessions({ store, keys, now }: SessionOptions): Sessions {
  function callerOf({ keyHash, principal }: Session): Caller | undefined {
    if (keyHash !== undefined) return keys.findHash(keyHash)
    const dated = principal && keys.dated(principal)
    return dated && dated.expiresAt > now() ? dated.caller : undefined
  }

  return {
    async open(of) {
      const token = randomBytes(tokenBytes).toString('base64url')
      const createdAt = now()
      const expiresAt = createdAt + sessionMs
      await store.addSession({ hash: hashToken(token), ...of, createdAt, expiresAt })
      return token
    },
    async find(token) {
      const session = await store.findSession(hashToken(token))
      if (!session || session.expiresAt <= now()) return undefined
      const caller = callerOf(session)
      return caller && { caller, expiresAt: session.expiresAt }
    },
    close: (token) => store.removeSession(hashToken(token)),
  }
}

function hashToken(token: string): string {
  return hash('sha256', token)
}
