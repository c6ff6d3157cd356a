import type { UsageRecord } from '@sluice/contract'
import type { Holder, Terms } from './account.ts'

/**
 * What an administrator's key may do: all of it; all but administrators' keys; look at all of it; or look at one team, which
 * owns the key, and change what is in it.
 */
export type AdminRole = 'owner' | 'operator' | 'viewer' | 'team'

/** A virtual key as kept: never the secret itself, only its SHA-256 hash. */
export interface ApiKey extends Terms {
  readonly id: string
  readonly name: string
  /** Lower-case hexadecimal SHA-256 of the secret (without a leading `sk-`). */
  readonly hash: string
  readonly role: 'caller' | 'administrator'
  /** Of an administrator's key; absent means `owner`. */
  readonly adminRole?: AdminRole
  /** First characters of the secret, to recognise it by in a list. */
  readonly prefix: string
  /** The user or the team that it belongs to. */
  readonly ownerId?: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  /** While it is set the key is not valid. */
  readonly disabledAt?: number
  /** For good. */
  readonly revokedAt?: number
  /** Secrets it had before it was rotated, which are still good for a while. */
  readonly olderSecrets?: readonly OlderSecret[]
}

export interface OlderSecret {
  readonly hash: string
  readonly prefix: string
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

/** Who makes a request: a key with all that it is held to. Made when the keys are read, and the same for all its requests. */
export interface Caller extends ApiKey {
  /** The key itself first, then its user, its team and its organization, as far as it has them. */
  readonly holders: readonly Holder[]
  /** The tags of all holders, each once. */
  readonly allTags: readonly string[]
  /** Whether its prompts and answers are kept. */
  readonly keepsContent: boolean
  /** Who it belongs to, as the records of its calls say it. */
  readonly owners: Pick<UsageRecord, 'userId' | 'teamId' | 'organizationId'>
}
