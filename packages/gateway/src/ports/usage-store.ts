import type { Money, UsageRecord } from '@sluice/contract'
import type { FirstTokens } from './first-token.ts'

/** The dimensions by which usage can be grouped. */
export const usageDimensions = [
  'key',
  'user',
  'team',
  'organization',
  'provider',
  'model',
  'operation',
  'tag',
  'outcome',
] as const
export type UsageDimension = (typeof usageDimensions)[number]

export const usagePeriods = ['hour', 'day', 'month'] as const
export type UsagePeriod = (typeof usagePeriods)[number]

/** Selects usage. */
export interface UsageScope {
  /** The start, inclusive, in milliseconds since the epoch. A full hour for sums. */
  readonly from: number
  /** The end, exclusive. A full hour for sums. */
  readonly to: number
  /** Only usage with these values; an empty text selects usage without a value. */
  readonly only: Readonly<Partial<Record<UsageDimension, string>>>
}

export interface UsageQuestion extends UsageScope {
  /** At most two: a period alone or with one dimension, or dimensions alone. Empty: one sum of everything. */
  readonly by: readonly (UsagePeriod | UsageDimension)[]
  /** Maximum number of groups. */
  readonly limit: number
  /** The last group of the previous page. */
  readonly after?: readonly (string | number)[]
}

/** Sums over attempts. */
export interface UsageSums {
  /** Number of records; each attempt at an upstream is one. */
  readonly attempts: number
  /** Number of first attempts, which is the number of calls. */
  readonly calls: number
  readonly completed: number
  readonly failed: number
  readonly cancelled: number
  readonly incomplete: number
  /** Attempts whose upstream never reported usage. */
  readonly unreported: number
  /** Attempts whose tokens are this gateway's estimate. */
  readonly estimated: number
  /** Attempts whose process died before they ended. */
  readonly unsettled: number
  /** Attempts with unknown cost; `cost` excludes them. */
  readonly unknownCosts: number
  readonly cost: Money
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedInputTokens: number
  readonly cacheWriteTokens: number
  readonly longCacheWriteTokens: number
  readonly reasoningTokens: number
  readonly audioInputTokens: number
  readonly audioOutputTokens: number
  readonly images: number
  readonly seconds: number
  readonly characters: number
  readonly searchUnits: number
  /** Streams by the time to their first token. */
  readonly firstTokens: FirstTokens
}

export interface UsageGroup {
  /** The value of each entry of the question's `by`: the start of a period in milliseconds, or an id or name; empty if none. */
  readonly of: readonly (string | number)[]
  readonly sums: UsageSums
}

export interface UsageAnswer {
  /** Ordered by `of`. A call with several tags counts in each of them. */
  readonly groups: readonly UsageGroup[]
  readonly hasMore: boolean
  /** The total over all groups, including other pages; each call counts once. */
  readonly total: UsageSums
  /** Upper bound of the number of newest records that the sums do not include yet. */
  readonly pending: number
}

/** A record read from the ledger, with its position. */
export interface LedgerRow {
  readonly sequence: number
  readonly record: UsageRecord
}

export interface LedgerQuestion extends UsageScope {
  readonly limit: number
  /** The position of the last record of the previous page. */
  readonly after?: { readonly startedAt: number; readonly sequence: number }
}

/** Selects calls that have an attempt matching all of these. */
export interface RequestScope extends UsageScope {
  /** The gateway's or the caller's id of the call. */
  readonly id?: string
  /** An inclusive range. */
  readonly status?: readonly [number, number]
  readonly format?: string
  /** The model name as requested, or the target's name with or without its provider if the caller used that. */
  readonly requestedModel?: string
}

/** The position of a call in time order: its newest matching attempt. */
export interface RequestCursor {
  readonly startedAt: number
  readonly sequence: number
}

export interface RequestQuestion extends RequestScope {
  readonly limit: number
  /** The position of the last call of the previous page. */
  readonly before?: RequestCursor
  /**
   * Orders calls as they were when this was the newest position in the ledger (`newest`), so that attempts written while
   * somebody pages do not move calls between pages. Default: the current order.
   */
  readonly asOfSequence?: number
  /** Only what was written after this position in the ledger. */
  readonly sinceSequence?: number
}

/** A call as its attempts, first attempt first. */
export interface FoundRequest extends RequestCursor {
  readonly attempts: readonly UsageRecord[]
}

/** The cost of the records of one hour with the same requested name and the same target. */
export interface SpentGroup {
  readonly provider: string
  readonly model: string
  /** Set if it differs from the target's name. */
  readonly requestedModel?: string
  /** Milliseconds since the epoch. */
  readonly hour: number
  /** Records with unknown cost count with the reserved amount. */
  readonly money: Money
}

/**
 * Usage, in sums by hour, day and month. The sums are computed in steps from the records of the ledger; each record counts
 * once, whoever makes the steps and whenever they are killed. packages/store/test/contract/usage-store.ts tests every database
 * for this. All of this runs beside the calls and never blocks this thread for long.
 */
export interface UsageStore extends AsyncDisposable {
  /** Adds the next records to the sums, a bounded number. Returns how many are left. */
  fold(): Promise<number>
  sums(question: UsageQuestion): Promise<UsageAnswer>
  /** Records by start time, oldest first. */
  records(question: LedgerQuestion): Promise<readonly LedgerRow[]>
  /** Calls, each once, newest first. */
  requests(question: RequestQuestion): Promise<readonly FoundRequest[]>
  /** The position of the newest record in the ledger; 0 if there is none. */
  newest(): Promise<number>
  /**
   * Spending by existing records, as budgets count it; with `isUnknown`, only by records with unknown cost. Returns the fewest
   * groups that keep hours and models apart.
   */
  spent(
    scope: Pick<UsageScope, 'from' | 'only'> &
      Partial<Pick<UsageScope, 'to'>> & { readonly isUnknown?: boolean },
  ): Promise<readonly SpentGroup[]>
  /** Drops the sums whose records all still exist; `fold` computes them again. */
  rebuild(): Promise<void>
  /** Removes records that began before the day of a moment, a bounded number. The sums stay. */
  forget(before: number): Promise<Forgotten>
  /**
   * Replaces the id of a user (and of the user's keys), or of a key, in all records and sums by one that identifies nobody.
   * Also removes the caller's request ids and addresses.
   */
  erase(who: { readonly kind: 'user' | 'key'; readonly id: string }): Promise<Erased>
}

export interface Forgotten {
  /** Number of records removed. */
  readonly records: number
  /** Whether there may be more. */
  readonly hasMore: boolean
}

export interface Erased {
  /** The replacement of the ids. */
  readonly replacement: string
  readonly records: number
}
