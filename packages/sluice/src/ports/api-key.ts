/** A virtual key as kept: never the secret itself, only its SHA-256 hash. */
export interface ApiKey {
  readonly id: string
  readonly name: string
  /** Lower-case hexadecimal SHA-256 of the secret (without a leading `sk-`). */
  readonly hash: string
  readonly role: 'caller' | 'administrator'
  /** First characters of the secret, to recognise it by in a list. */
  readonly prefix: string
  /** Requests per minute; absent means the configured default. */
  readonly requestsPerMinute?: number
  /** Model names or `provider/*` patterns the key may use; absent means all. */
  readonly models?: readonly string[]
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly expiresAt?: number
  readonly revokedAt?: number
}
