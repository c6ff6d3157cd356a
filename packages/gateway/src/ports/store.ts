import type { Money, Usage, UsageRecord, VideoJob, Store as VideoJobStore } from '@sluice/contract'
import type { Account } from './account.ts'
import type { AlertOutbox } from './alert.ts'
import type { ApiKey } from './api-key.ts'
import type { AuditEntry } from './audit.ts'
import type { FileStore } from './file-store.ts'
import type { ConversationStore } from './conversation-store.ts'
import type { BudgetClaim } from './limiter.ts'
import type { Session } from './session.ts'
import type { SettingStore, SettingWrite } from './stored-settings.ts'
import type { ContentStore } from './content.ts'
import type { RefusalStore } from './refusals.ts'
import type { UsageStore } from './usage-store.ts'

/** A stored response of POST /v1/responses. */
export interface StoredResponse {
  readonly id: string
  readonly keyId: string
  /** Seconds since the epoch. */
  readonly createdAt: number
  readonly previousResponseId?: string
  /** Set if an upstream that speaks this format created it and knows its id. */
  readonly provider?: string
  /** With which account of the provider, as `accountOf` names it; absent if unknown. */
  readonly account?: string
  /** The Response object, as JSON. */
  readonly response: string
  /** The input items of only this response, as a JSON array. */
  readonly input: string
}

/** An upstream's id of something created through this gateway. */
export interface UpstreamId {
  readonly id: string
  readonly keyId: string
  /** The response it was returned with. */
  readonly responseId: string
  /** Whether that response was deleted. */
  readonly deleted: boolean
  /** The account that made it, as `accountOf` names it; absent if unknown. */
  readonly account?: string
}

/** How much of a kind a key stores, or may store. */
export interface StoredAmount {
  readonly count: number
  readonly bytes: number
}

/** Reserved room for a video being requested. */
export interface VideoSlot {
  readonly id: string
  readonly keyId: string
  /** Size of its files from the start. */
  readonly bytes: number
  /** What the key may store, including this video. */
  readonly most: StoredAmount
  /** Milliseconds since the epoch. */
  readonly at: number
  /** When the slot is freed if its holder dies, in milliseconds since the epoch. */
  readonly until: number
}

/** What is known about an attempt when it begins. */
export type UsageBegun = Pick<
  UsageRecord,
  | 'callId'
  | 'requestId'
  | 'attempt'
  | 'keyId'
  | 'userId'
  | 'teamId'
  | 'organizationId'
  | 'tags'
  | 'clientAddress'
  | 'operation'
  | 'format'
  | 'streamed'
  | 'requestedModel'
  | 'provider'
  | 'model'
  | 'startedAt'
  | 'reservedMicroUsd'
  | 'reservedRestPicoUsd'
  | 'overBudget'
>

/** What a call has reserved from budgets. */
export interface BudgetReservation {
  readonly id: string
  /** One that a call made after its first reservation, which alone has the call's costs. */
  readonly isAddition?: boolean
  readonly budgets: readonly ReservedBudget[]
}

/** Money is in millionths of a dollar, as programs before nanodollars read and write it. */
export interface ReservedBudget extends Omit<BudgetClaim, 'kind'> {
  /** The part of the amount below a millionth, in nanodollars; absent if 0. */
  readonly nano?: number
  /** The pattern of the models that it counts; absent if it counts all. */
  readonly model?: string
}

/** A reservation whose process was killed before it could be settled, and what the ledger has of its call. */
export interface OrphanedReservation {
  readonly reservation: BudgetReservation
  /** Every attempt with its cost or, if that is unknown, what was reserved for it. */
  readonly attempts: readonly (Pick<UsageRecord, 'provider' | 'model' | 'requestedModel'> & {
    readonly money: Money
  })[]
}

/** An attempt's usage so far. */
export type NotedUsage = Usage &
  Pick<UsageRecord, 'durationMs' | 'costMicroUsd' | 'costRestPicoUsd' | 'priceSource' | 'priceDate'>

/** Records not yet written to the database. */
export interface WaitingUsage {
  readonly records: number
  /** How long nothing was written although records waited, in milliseconds; 0 if none wait. */
  readonly behindMs: number
}

/** What the record of an attempt says beyond `UsageBegun`. */
export type UsageEnded = Omit<UsageRecord, keyof UsageBegun>

/** An attempt that has begun and is not recorded yet. */
export interface OpenUsage {
  /** Noted in case the process dies; a later note replaces it. */
  note(usage: NotedUsage): void
  /** Appends the record of the attempt, as `recordUsage` does. */
  end(ended: UsageEnded): void
  /** The reservation given at the beginning is settled and need not be on record any more. */
  reservationSettled(): void
}

/** Processes whose records of calls may not be in the database yet. */
export interface LedgerWriters {
  /** The name of this process; undefined without a journal. */
  readonly name: string | undefined
  /** Adds this process until the store is disposed. */
  enrol(): Promise<void>
  /** Those that run, and killed ones whose journals nobody has read. */
  list(): Promise<readonly string[]>
  /** What these may still have is not waited for. */
  forget(names: readonly string[]): Promise<void>
}

/** A key, an account or a setting to write, or what names an account or setting to remove. */
export type AccountWrite =
  | SettingWrite
  | { readonly key: ApiKey }
  | { readonly account: Account }
  | { readonly removed: string }

export interface VideoJobClaim {
  readonly provider: string
  readonly owner: string
  readonly gone: readonly string[]
  readonly at: number
  readonly until: number
}

/** Entries are numbered from 1. */
export interface AuditPage {
  readonly limit: number
  readonly after?: number
  readonly before?: number
}

/**
 * All stored data of the gateway. packages/store/test/contract/store.ts defines each method and runs against every database.
 * Keys are few; they are read at the start and after a change, so authentication waits for the disk only with an unknown key.
 * Texts are stored unchanged, except that NUL and lone surrogates become U+FFFD.
 */
export interface Store
  extends VideoJobStore,
    AlertOutbox,
    FileStore,
    SettingStore,
    ConversationStore {
  /** All keys, including revoked and expired ones; oldest first. */
  listKeys(): Promise<readonly ApiKey[]>
  /** Rejects with `conflict` if the id or the hash exists. */
  addKey(key: ApiKey): Promise<void>
  /** Returns false if there is no such key or it is already revoked. */
  revokeKey(id: string, at: number): Promise<boolean>
  /** A text that changes whenever any process changes a key or an account. Cheap, because it is read every second. */
  keysVersion(): Promise<string>
  /** All organizations, teams and users; oldest first. */
  listAccounts(): Promise<readonly Account[]>
  /**
   * Makes an administrator's change and adds it to the audit log, both or neither. Returns false without effect if an entry
   * with this number exists, because another change came first.
   */
  administer(writes: readonly AccountWrite[], entry: AuditEntry): Promise<boolean>
  /** Entries of the audit log: those older than `before`, newest first, or without `before` oldest first. */
  listAudit(page: AuditPage): Promise<readonly AuditEntry[]>

  /** Stores a session, and removes sessions that have expired by then. */
  addSession(session: Session): Promise<void>
  /** Also returns an expired one. */
  findSession(hash: string): Promise<Session | undefined>
  /** All sessions without a key, including expired ones. */
  listPrincipalSessions(): Promise<readonly Session[]>
  /** Returns false if there is none. */
  removeSession(hash: string): Promise<boolean>

  /**
   * Rejects with `conflict` if the id exists. `upstreamIds` are the upstream's ids of the response, its items and everything
   * else it created.
   */
  addResponse(response: StoredResponse, upstreamIds?: readonly string[]): Promise<void>
  findResponse(id: string): Promise<StoredResponse | undefined>
  /** Its upstream ids are kept and marked as deleted. */
  deleteResponse(id: string): Promise<boolean>
  /**
   * Removes the oldest responses of a key beyond `most`; returns how many. Their upstream ids are kept, because the upstream
   * still has them.
   */
  trimResponses(keyId: string, most: StoredAmount): Promise<number>
  /** Removes all responses and conversations of a key, or of the keys of a user; returns how many. */
  eraseStored(who: { readonly kind: 'user' | 'key'; readonly id: string }): Promise<number>
  /**
   * Reserves room for one more video if the key's videos and reservations leave enough; the oldest failed or expired videos
   * make room. Otherwise returns what is missing. Concurrent callers, in any process, see each other's reservations.
   */
  takeVideoSlot(slot: VideoSlot): Promise<'bytes' | 'count' | undefined>
  /** Extends a reservation until then, in milliseconds since the epoch; one that has been freed stays free. */
  renewVideoSlot(id: string, until: number): Promise<void>
  /** Frees a reservation that no video has used. */
  freeVideoSlot(id: string): Promise<void>
  /** Rejects with `conflict` if the id exists. Uses up the reservation. */
  addVideoJob(job: VideoJob, slotId?: string): Promise<void>
  /**
   * Gives `owner` a lease on every unfinished task of a provider that has no valid lease at `at` or belongs to one of `gone`,
   * and renews its own leases; returns all of its tasks, oldest first. Times are in milliseconds since the epoch. Of concurrent
   * callers, one gets each task.
   */
  claimVideoJobs(claim: VideoJobClaim): Promise<readonly VideoJob[]>
  /** The owners of unfinished tasks of a provider; undefined for tasks that never had one. */
  videoJobOwners(provider: string): Promise<readonly (string | undefined)[]>
  /** Lets others take this owner's tasks at once. */
  releaseVideoJobs(owner: string): Promise<void>
  /** Like `updateVideoJob`, but only while this owner has the task, whether or not its lease has expired. */
  updateClaimedVideoJob(
    id: string,
    owner: string,
    change: Partial<Omit<VideoJob, 'id' | 'keyId'>>,
  ): Promise<boolean>
  /** Upstream ids created for a key other than responses; `source` is the response they were returned with. */
  addUpstreamIds(
    ids: readonly string[],
    of: { readonly keyId: string; readonly source: string; readonly account?: string },
  ): Promise<void>
  /** The keys of these ids, in no order; an id shown to several keys is returned once per key. */
  findUpstreamIds(ids: readonly string[]): Promise<readonly UpstreamId[]>

  /**
   * Records that an attempt begins, so that the ledger has it even if this process is killed.
   *
   * @param reservation - What its call has reserved with a limiter that outlives this process; see `settleOrphaned`.
   * @throws GatewayError `overloaded` while nothing can be recorded, as on a full disk: what cannot be accounted for is not
   *   begun.
   */
  beginUsage(begun: UsageBegun, reservation?: BudgetReservation): OpenUsage
  /**
   * Appends a record of which no beginning was recorded. It is written to the database a little later, together with others,
   * and retried until it is. With a journal, none is lost even if the process is killed. Without one, a regular stop loses
   * none, and while the database cannot be written a bounded number waits.
   */
  recordUsage(record: UsageRecord): void
  /**
   * Resolves when the recorded usage survives a kill of this process, at the end of this turn of the event loop; undefined if
   * it already does, or never will. The end of a response waits for it, so that whatever a caller has seen whole is on record.
   */
  recorded(): Promise<void> | undefined
  /**
   * Hands over what calls of killed processes had reserved, once their records are written. `settle` is called again until it
   * resolves. The journals that name these reservations are kept until then, so another process may get them as well.
   */
  settleOrphaned(settle: (orphaned: readonly OrphanedReservation[]) => Promise<void>): void
  /** Records that are not in the database yet. */
  waitingUsage(): WaitingUsage
  /**
   * Rejects while records of calls cannot be stored, as on a full or read-only disk. A database shared with other machines may
   * be unavailable, because the journal is local.
   */
  checkWritable(): Promise<void>
  /** Waits until everything recorded before is in the database. Rejects if writing fails; the records are kept. */
  flush(): Promise<void>
  /** The start of each key's last call, in milliseconds since the epoch; keys without calls are absent. */
  lastUse(): Promise<ReadonlyMap<string, number>>
  /** Newest first, including records that were waiting to be written. */
  listUsage(page: { readonly limit: number }): Promise<readonly UsageRecord[]>
  readonly ledgerWriters: LedgerWriters
  /** Stored prompts and responses. */
  readonly contents: ContentStore
  /** Refused calls. */
  readonly refusals: RefusalStore
  /** Usage in sums and in written records. */
  readonly usage: UsageStore
}
