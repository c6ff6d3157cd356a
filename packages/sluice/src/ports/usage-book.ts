import type { UsageRecord } from '@sluice/contract'

/** What usage can be told apart by. */
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

/** Which usage is meant. */
export interface UsageScope {
  /** Milliseconds since the epoch; the first that counts. Of sums a full hour. */
  readonly from: number
  /** The first that does not count any more. Of sums a full hour. */
  readonly to: number
  /** Only what is this; an empty text is what has none. */
  readonly only: Readonly<Partial<Record<UsageDimension, string>>>
}

export interface UsageQuestion extends UsageScope {
  /** At most two; a period alone or with one dimension, or dimensions alone. None: one sum of all. */
  readonly by: readonly (UsagePeriod | UsageDimension)[]
  /** So many sums at most. */
  readonly limit: number
  /** The last sum of the page before. */
  readonly after?: readonly (string | number)[]
}

/** What many attempts have used together. */
export interface UsageSums {
  /** Records: every attempt at an upstream is one. */
  readonly attempts: number
  /** First attempts: as many as there were calls. */
  readonly calls: number
  readonly completed: number
  readonly failed: number
  readonly cancelled: number
  readonly incomplete: number
  /** Whose upstream never said what was used. */
  readonly unreported: number
  /** Whose tokens are this gateway's estimate. */
  readonly estimated: number
  /** Whose process died before they were over. */
  readonly unsettled: number
  /** Whose cost nobody knows; `costMicroUsd` is without them. */
  readonly unknownCosts: number
  readonly costMicroUsd: number
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
  /** Of streams: how many had their first token within each of `firstTokenBounds` and above the one before, and later. */
  readonly firstTokens: readonly number[]
}

export interface UsageGroup {
  /** Of each of the question's `by`: when a period began, in milliseconds, or an id or name; empty where there is none. */
  readonly of: readonly (string | number)[]
  readonly sums: UsageSums
}

export interface UsageAnswer {
  /** In the order of `of`. A call with several tags counts in each of them. */
  readonly groups: readonly UsageGroup[]
  readonly hasMore: boolean
  /** Of all groups, those of other pages too, and each call once. */
  readonly total: UsageSums
  /** Records at the end of the ledger that the sums do not hold yet, at most. */
  readonly pending: number
}

/** A record as it is read from the ledger, with its place. */
export interface LedgerRow {
  readonly sequence: number
  readonly record: UsageRecord
}

export interface LedgerQuestion extends UsageScope {
  readonly limit: number
  /** The place of the last record of the page before. */
  readonly after?: { readonly startedAt: number; readonly sequence: number }
}

/** Which calls are looked for: those of which an attempt is all of this. */
export interface RequestScope extends UsageScope {
  /** What the gateway or the caller calls the call. */
  readonly id?: string
  /** From the first to the last of these. */
  readonly status?: readonly [number, number]
  readonly format?: string
  /** As the caller named the model; the name of a target, with its provider or without, where the caller said that. */
  readonly requestedModel?: string
}

/** The place of a call in the order of time: its newest attempt of those that were looked for. */
export interface RequestPlace {
  readonly startedAt: number
  readonly sequence: number
}

export interface RequestQuestion extends RequestScope {
  readonly limit: number
  /** The place of the last call of the page before. */
  readonly before?: RequestPlace
  /**
   * Calls stand where they stood when this was the newest place in the ledger (`newest`): an attempt that is written while
   * somebody turns pages moves no call from a page that comes to one that was seen. Default: where they stand now.
   */
  readonly asOfSequence?: number
  /** Only what was written after this place in the ledger. */
  readonly sinceSequence?: number
}

/** A call by its attempts, the first of them first. */
export interface FoundRequest extends RequestPlace {
  readonly attempts: readonly UsageRecord[]
}

/** What records of one hour have cost that asked for one name and went to one model. */
export interface SpentGroup {
  readonly provider: string
  readonly model: string
  /** Where the target is called otherwise. */
  readonly requestedModel?: string
  /** Milliseconds since the epoch. */
  readonly hour: number
  /** Of what nobody knows the cost of what was put aside for it. */
  readonly microUsd: number
}

/**
 * What was used, in sums by hour, day and month. They are made from the records of the ledger in steps; each record counts
 * once, whoever makes the steps and whenever they are killed. packages/sluice/test/contract/usage-book.ts holds every
 * database to it. Everything here runs beside the calls: nothing of it holds up this thread for long.
 */
export interface UsageBook extends AsyncDisposable {
  /** Adds the next records to the sums, a bounded number. Returns how many are left, or 0. */
  fold(): Promise<number>
  sums(question: UsageQuestion): Promise<UsageAnswer>
  /** Records by the time they began, oldest first. */
  records(question: LedgerQuestion): Promise<readonly LedgerRow[]>
  /** Calls, each once, the newest first. */
  requests(question: RequestQuestion): Promise<readonly FoundRequest[]>
  /** The place of the newest record in the ledger; 0 where there is none. */
  newest(): Promise<number>
  /**
   * What was spent by records that are there, as budgets count it; with `isUnknown` by those alone whose cost nobody knows. The
   * smallest number of groups that tell hours and models.
   */
  spent(
    scope: Pick<UsageScope, 'from' | 'only'> & { readonly isUnknown?: boolean },
  ): Promise<readonly SpentGroup[]>
  /** Drops the sums of which all records are still there; they are made anew by `fold`. */
  rebuild(): Promise<void>
  /** Removes records that began before the day of a moment, a bounded number; the sums stay. */
  forget(before: number): Promise<Forgotten>
  /**
   * Replaces the id of a user (and those of the user's keys), or of a key, in all records and sums, by one that nobody can
   * tell whose it was. What the caller had named its requests, and where they came from, goes too.
   */
  erase(who: { readonly kind: 'user' | 'key'; readonly id: string }): Promise<Erased>
}

export interface Forgotten {
  /** How many records were removed. */
  readonly records: number
  /** Whether there may be more. */
  readonly hasMore: boolean
}

export interface Erased {
  /** What stands in the place of the ids. */
  readonly replacement: string
  readonly records: number
}
