import type { UsageRecord } from '@sluice/contract'
import type { Holder, Terms } from './account.ts'

/**
 * What an administrator key may do: everything; everything except managing administrator keys; only read; or read one team,
 * which owns the key, and change what is in it.
 */
export type AdminRole = 'owner' | 'operator' | 'viewer' | 'team'

/**
 * What the hash of a secret is made of. Absent: of the secret without a leading `sk-`, as this gateway does. `whole`: of all of
 * it, as LiteLLM does, whose keys are imported without their secrets.
 */
export type HashScheme = 'whole'

/** A virtual key as stored: only the SHA-256 hash of its secret, never the secret. */
export interface ApiKey extends Terms {
  readonly id: string
  readonly name: string
  /** Lower-case hexadecimal SHA-256 of the secret, by its scheme. */
  readonly hash: string
  readonly hashScheme?: HashScheme
  readonly role: 'caller' | 'administrator'
  /** Of an administrator key; absent means `owner`. */
  readonly adminRole?: AdminRole
  /** First characters of the secret, for recognition in lists. */
  readonly prefix: string
  /** The owning user or team. */
  readonly ownerId?: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  /** While set, the key is not valid. */
  readonly disabledAt?: number
  /** Permanent. */
  readonly revokedAt?: number
  /** Secrets from before a rotation that are still valid for a while. */
  readonly olderSecrets?: readonly OlderSecret[]
}

export interface OlderSecret {
  readonly hash: string
  readonly hashScheme?: HashScheme
  readonly prefix: string
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

/**
 * The caller of a request: a key with everything that applies to it. Created when the keys are read, and shared by all its
 * requests.
 */
export interface Caller extends ApiKey {
  /** The key, then its user, team and organization, as far as it has them. */
  readonly holders: readonly Holder[]
  /** The tags of all holders, each once. */
  readonly allTags: readonly string[]
  /** Whether one of the holders has a budget or lists the models it may use. */
  readonly isLimited: boolean
  /** Whether its prompts and responses are stored. */
  readonly keepsContent: boolean
  /** Its owners, as stored in the records of its calls. */
  readonly owners: Pick<UsageRecord, 'userId' | 'teamId' | 'organizationId'>
}
