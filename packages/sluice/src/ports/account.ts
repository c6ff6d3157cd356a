import type { BlockList } from 'node:net'
import type { OperationName } from '@sluice/contract'
import type { BudgetWindow } from './limiter.ts'

/** An amount of money that may be spent within a window. */
export interface Budget {
  /** Unique within its owner: what was spent is counted by it. */
  readonly id: string
  /** In whole millionths of a US dollar. */
  readonly limitMicroUsd: number
  readonly window: BudgetWindow
  /** Counts only calls of models that this pattern covers, as in `Terms.models`; absent means all. */
  readonly model?: string
  /** Counts only calls that have this tag; absent means all. */
  readonly tag?: string
  /**
   * Where a call goes that the budget has no money for: a model or a route that costs less or nothing, if the caller may use
   * it. Absent: it is refused.
   */
  readonly overBudget?: { readonly route: string }
}

/** What every level may carry, from the organization down to the key. All levels hold at once; absent means no such bound. */
export interface Terms {
  /** Milliseconds since the epoch; from then on nothing below it is valid. */
  readonly expiresAt?: number
  /** Model names or `provider/*` patterns that may be used. */
  readonly models?: readonly string[]
  readonly operations?: readonly OperationName[]
  /** Where requests may come from: addresses and blocks (`10.0.0.0/8`, `2001:db8::/32`). */
  readonly addresses?: readonly string[]
  readonly requestsPerMinute?: number
  /** Input and output together. */
  readonly tokensPerMinute?: number
  readonly concurrentRequests?: number
  readonly budgets?: readonly Budget[]
  /** Anything its administrators want to remember; the gateway never reads it. */
  readonly metadata?: Readonly<Record<string, string>>
  /** Every call below it has these. */
  readonly tags?: readonly string[]
  /**
   * Whether prompts and answers are kept, masked. They are where some level says so and none says that they are not; absent says
   * nothing.
   */
  readonly contentLogging?: boolean
  /**
   * Of accounts: whether users make, rotate and revoke keys of their own. They may where some level above a key says so and none
   * says that they may not; absent says nothing.
   */
  readonly ownKeys?: boolean
}

export type AccountKind = 'organization' | 'team' | 'user'

/** Who keys belong to. A team may be in an organization; a user in a team or an organization. */
export interface Account extends Terms {
  readonly id: string
  readonly kind: AccountKind
  readonly name: string
  readonly parentId?: string
  /** Of a user who has signed in: who it is at the OpenID Connect issuer, hashed. Nobody else signs in as it. */
  readonly identity?: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  /** While it is set nothing below it is valid. */
  readonly disabledAt?: number
}

/** One of the levels that a call is held to. */
export interface Holder {
  readonly kind: 'key' | AccountKind
  readonly id: string
  readonly name: string
  readonly terms: Terms
  /** `terms.addresses` as they are looked up; absent where there are none. */
  readonly addressList?: BlockList
}
