import type { ApiKey } from './api-key.ts'

/** The key of somebody who signed in without one; its own hash is empty. */
export interface Principal extends ApiKey {
  /** The issuer of the identity. */
  readonly issuer: string
  /**
   * The identity that the user's account must still have; after an unlink the session is invalid. Absent in sessions of older
   * versions.
   */
  readonly identity?: string
  /** The issuer's id of its own session (`sid`), if it gives one. */
  readonly issuerSession?: string
}

/** Somebody who has signed in with a browser. */
export interface Session {
  /** Lower-case hexadecimal SHA-256 of the token that the browser holds. */
  readonly hash: string
  /** Hash of the secret used to sign in. The session ends when this secret does. */
  readonly keyHash?: string
  readonly principal?: Principal
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly expiresAt: number
}
