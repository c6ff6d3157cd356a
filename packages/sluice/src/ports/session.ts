import type { ApiKey } from './api-key.ts'

/** What stands for a key where somebody signed in without one; its own hash is empty. */
export interface Principal extends ApiKey {
  /** Who said who it is. */
  readonly issuer: string
  /** What a user's account has to have: what was unlinked from it is signed in no more. Absent in sessions of older versions. */
  readonly identity?: string
  /** What the issuer calls its own session (`sid`), where it says so. */
  readonly issuerSession?: string
}

/** Somebody who has signed in with a browser. */
export interface Session {
  /** Lower-case hexadecimal SHA-256 of the token that the browser holds. */
  readonly hash: string
  /** Hash of the secret that was signed in with: the session ends when this secret does. */
  readonly keyHash?: string
  readonly principal?: Principal
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly expiresAt: number
}
