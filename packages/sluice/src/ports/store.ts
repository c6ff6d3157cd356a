import type { Usage, UsageRecord, VideoJob, Store as VideoJobStore } from '@sluice/contract'
import type { Account } from './account.ts'
import type { AlertOutbox } from './alert.ts'
import type { ApiKey } from './api-key.ts'
import type { AuditEntry } from './audit.ts'
import type { KeptFiles } from './kept-files.ts'
import type { Session } from './session.ts'
import type { ContentShelf } from './content.ts'
import type { RefusalBook } from './refusals.ts'
import type { UsageBook } from './usage-book.ts'

/** A stored response of POST /v1/responses. */
export interface StoredResponse {
  readonly id: string
  readonly keyId: string
  /** Seconds since the epoch. */
  readonly createdAt: number
  readonly previousResponseId?: string
  /** Set where an upstream that speaks this format made it and knows its id. */
  readonly provider?: string
  /** The Response object, as JSON. */
  readonly response: string
  /** The input items of this response alone, as a JSON array. */
  readonly input: string
}

/** An id by which an upstream knows something that was made through this gateway. */
export interface UpstreamId {
  readonly id: string
  readonly keyId: string
  /** The response that it came with. */
  readonly responseId: string
  /** That response was deleted. */
  readonly deleted: boolean
}

/** How much of a kind a key keeps, or may keep. */
export interface KeptAmount {
  readonly count: number
  readonly bytes: number
}

/** Room for a video that is being asked for. */
export interface VideoPlace {
  readonly id: string
  readonly keyId: string
  /** What it keeps of files from the beginning. */
  readonly bytes: number
  /** What the key may keep, this one included. */
  readonly most: KeptAmount
  /** Milliseconds since the epoch. */
  readonly at: number
  /** When the place is free again, should whoever has it die; milliseconds since the epoch. */
  readonly until: number
}

/** What is known of an attempt as it begins. */
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
  | 'overBudget'
>

/** What an attempt has used so far. */
export type NotedUsage = Usage &
  Pick<UsageRecord, 'durationMs' | 'costMicroUsd' | 'priceSource' | 'priceDate'>

/** Records on their way to the database. */
export interface WaitingUsage {
  readonly records: number
  /** For how long none was written although some waited, in milliseconds; 0 where none waits. */
  readonly behindMs: number
}

/** An attempt that has begun and is not recorded yet. */
export interface OpenUsage {
  /** For the case that nothing more is heard of it; a later note takes its place. */
  note(usage: NotedUsage): void
}

/** A key or an account as it shall be from now on, or the id of an account that goes. */
export type AccountWrite =
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

/** Entries are numbered from 1 up. */
export interface AuditPage {
  readonly limit: number
  readonly after?: number
  readonly before?: number
}

/**
 * Everything the gateway keeps; packages/sluice/test/contract/store.ts says what each method means and runs on every
 * database. Keys are few and are read whole at start and after a change, so no call waits for the disk to be
 * authenticated. A text is kept as it is, except that NUL and halves of surrogate pairs become U+FFFD.
 */
export interface Store extends VideoJobStore, AlertOutbox, KeptFiles {
  /** All keys that were ever made and not removed, revoked and expired ones too; oldest first. */
  listKeys(): Promise<readonly ApiKey[]>
  /** Rejects with `conflict` when the id or the hash is known already. */
  addKey(key: ApiKey): Promise<void>
  /** Returns false when there is no such key or it is revoked already. */
  revokeKey(id: string, at: number): Promise<boolean>
  /** A text that differs after anyone, in this process or another, changed a key or an account. Cheap: asked every second. */
  keysVersion(): Promise<string>
  /** All organizations, teams and users; oldest first. */
  listAccounts(): Promise<readonly Account[]>
  /**
   * Does what an administrator asked for and says so in the audit log: all of it or nothing. False, and nothing is done, where
   * an entry with this number is there already: another change came first.
   */
  administer(writes: readonly AccountWrite[], entry: AuditEntry): Promise<boolean>
  /** Entries of the audit log: the newest first where `before` is given, which they are older than; else the oldest first. */
  listAudit(page: AuditPage): Promise<readonly AuditEntry[]>

  /** Keeps who is signed in, and removes whoever's time was over when this one came. */
  addSession(session: Session): Promise<void>
  /** Also one whose time is over. */
  findSession(hash: string): Promise<Session | undefined>
  /** Of all who signed in without a key; also those whose time is over. */
  listPrincipalSessions(): Promise<readonly Session[]>
  /** Returns false when there is none. */
  removeSession(hash: string): Promise<boolean>

  /**
   * Rejects with `conflict` when the id is known already. `upstreamIds` are what an upstream knows of it: its items and
   * whatever else it made, and itself.
   */
  addResponse(response: StoredResponse, upstreamIds?: readonly string[]): Promise<void>
  findResponse(id: string): Promise<StoredResponse | undefined>
  /** Its upstream ids stay, as deleted. */
  deleteResponse(id: string): Promise<boolean>
  /**
   * Removes the responses of a key that were added first, beyond `most`; returns how many. Their upstream ids stay as they
   * are: the upstream still has them.
   */
  trimResponses(keyId: string, most: KeptAmount): Promise<number>
  /**
   * Takes a place for one more video where those of the key, and the places that others have taken, leave room for it; the
   * oldest that have failed or expired make room. Returns what lacks where there is none. Of several who ask at once, in
   * this process or another, each finds what the others have taken.
   */
  takeVideoPlace(place: VideoPlace): Promise<'bytes' | 'count' | undefined>
  /** Keeps a place until then, in milliseconds since the epoch; one that is free again stays so. */
  renewVideoPlace(id: string, until: number): Promise<void>
  /** Gives back a place that no video has come into. */
  freeVideoPlace(id: string): Promise<void>
  /** Rejects with `conflict` when the id is known already. Whoever has a place for it has none any more. */
  addVideoJob(job: VideoJob, placeId?: string): Promise<void>
  /**
   * Gives a lease on every unfinished task of a provider to `owner` that nobody has one on `at`, or only one of `gone`, and
   * renews what it has; returns all of its tasks, oldest first. Times are in milliseconds since the epoch. Of several who
   * ask at once one gets each.
   */
  claimVideoJobs(claim: VideoJobClaim): Promise<readonly VideoJob[]>
  /** Who has leases on unfinished tasks of a provider; undefined for those that nobody ever had. */
  videoJobOwners(provider: string): Promise<readonly (string | undefined)[]>
  /** Others may take at once what this one has. */
  releaseVideoJobs(owner: string): Promise<void>
  /** As `updateVideoJob`, and only while this one has the task, whether or not its lease has run out. */
  updateClaimedVideoJob(
    id: string,
    owner: string,
    change: Partial<Omit<VideoJob, 'id' | 'keyId'>>,
  ): Promise<boolean>
  /** Ids of what an upstream has made for a key beside responses; `source` is the answer that it came with. */
  addUpstreamIds(
    ids: readonly string[],
    of: { readonly keyId: string; readonly source: string },
  ): Promise<void>
  /** Whose these ids are, in no order; an id that several keys were shown comes once for each. */
  findUpstreamIds(ids: readonly string[]): Promise<readonly UpstreamId[]>

  /**
   * Notes that an attempt begins, so that it is in the ledger even if this process is killed before it is over.
   *
   * @throws GatewayError `overloaded` while nothing can be noted, as on a disk that is full: what cannot be accounted for
   *   is not begun.
   */
  beginUsage(begun: UsageBegun): OpenUsage
  /**
   * Appends; `open` is what `beginUsage` returned. The record is written to the database a little later, together with
   * others, and retried until it is. Where there is a journal, none is lost even if the process is killed; where there is
   * none, a regular stop loses none, and while the database refuses to write a bounded number waits.
   */
  recordUsage(record: UsageRecord, open?: OpenUsage): void
  /**
   * Until what was recorded outlives a kill of this process, which is at the end of this turn of the event loop; undefined
   * where it does already, or never will. The end of an answer waits for it: what a caller has seen whole is on record.
   */
  recorded(): Promise<void> | undefined
  /** What was recorded and is not in the database yet. */
  waitingUsage(): WaitingUsage
  /**
   * Rejects while the records of calls cannot be kept, as on a disk that is full or read-only. A database that other
   * machines use too may be away: the journal is on this one.
   */
  checkWritable(): Promise<void>
  /** Waits until all that was recorded before is on disk. Rejects when writing fails; the records are kept. */
  flush(): Promise<void>
  /** When the last call of each key began, in milliseconds since the epoch; keys that made none are absent. */
  lastUse(): Promise<ReadonlyMap<string, number>>
  /** The newest first, those included that were waiting to be written. */
  listUsage(page: { readonly limit: number }): Promise<readonly UsageRecord[]>
  /** What was asked and answered, where that is kept. */
  readonly contents: ContentShelf
  /** Who was refused. */
  readonly refusals: RefusalBook
  /** What was used, in sums and in records that were written. */
  readonly book: UsageBook
}
