import type { BlockList } from 'node:net'
import type { OperationName } from '@sluice/contract'
import type { CalendarWindow } from './limiter.ts'

/** An amount of money that may be spent within a window. */
export interface Budget {
  /** Unique within its owner; spending is counted under it. */
  readonly id: string
  /** In whole millionths of a US dollar. */
  readonly limitMicroUsd: number
  readonly window: CalendarWindow | 'lifetime' | number
  /** The time zone of a calendar window, such as `Europe/Berlin`. Absent: `limits.timeZone`. */
  readonly timeZone?: string
  /** What was spent before does not count, in milliseconds since the epoch. */
  readonly resetAt?: number
  /** What another gateway had spent of it before its key or account was imported; counts in the window of that moment. */
  readonly carried?: CarriedSpending
  /** Counts only calls of models that this pattern covers, as in `Terms.models`; absent means all. */
  readonly model?: string
  /** Counts only calls that have this tag; absent means all. */
  readonly tag?: string
  /**
   * The route for calls that the budget cannot pay: a model or route that costs less or nothing, if the caller may use it.
   * Absent: such calls are refused.
   */
  readonly overBudget?: { readonly route: string }
}

/** An amount of a budget that is in no record of this gateway. */
export interface CarriedSpending {
  /** In whole millionths of a US dollar. */
  readonly microUsd: number
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** As `limits.output` of sluice.yaml; see `Terms.output`. */
export type OutputPolicy = 'limit' | 'reserve' | 'refuse'
/** As `limits.inputBound` of sluice.yaml; see `Terms.inputBound`. */
export type InputBound = 'bytes' | 'estimate'

/**
 * Limits and settings of one level, from the organization down to the key. All levels apply at once; absent means no such
 * limit.
 */
export interface Terms {
  /** Milliseconds since the epoch; after it, nothing below this level is valid. */
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
  /**
   * What budgets reserve for a response whose caller did not limit it: `limit` (the gateway limits it), `reserve` (the most that
   * the model writes) or `refuse`. That of the nearest level applies.
   */
  readonly output?: OutputPolicy
  /** How the budgets of this level reckon input: the most that it can be (`bytes`), or an `estimate`. */
  readonly inputBound?: InputBound
  /** Free data of administrators; the gateway never reads it. */
  readonly metadata?: Readonly<Record<string, string>>
  /** Tags of every call below this level. */
  readonly tags?: readonly string[]
  /** Whether prompts and responses are stored, masked: if some level says yes and none says no. */
  readonly contentLogging?: boolean
  /**
   * On accounts: whether users may create, rotate and revoke keys of their own: if some level above a key says yes and none
   * says no.
   */
  readonly ownKeys?: boolean
}

export const accountKinds = ['organization', 'team', 'user'] as const
export type AccountKind = (typeof accountKinds)[number]

/** An owner of keys. A team may be in an organization; a user in a team or an organization. */
export interface Account extends Terms {
  readonly id: string
  readonly kind: AccountKind
  readonly name: string
  readonly parentId?: string
  /** Of a user who has signed in: the identity at the OpenID Connect issuer, hashed. Nobody else can sign in as this user. */
  readonly identity?: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  /** While set, nothing below this account is valid. */
  readonly disabledAt?: number
}

/** A level whose terms apply to a call. */
export interface Holder {
  readonly kind: 'key' | AccountKind
  readonly id: string
  readonly name: string
  readonly terms: Terms
  /** `terms.addresses` prepared for lookup; absent if there are none. */
  readonly addressList?: BlockList
}
