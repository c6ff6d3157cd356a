import type { UsageRecord, Store as VideoJobStore } from '@sluice/contract'
import type { ApiKey } from './api-key.ts'

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

/**
 * Everything the gateway keeps; packages/sluice/test/contract/store.ts says what each method means and runs on every
 * database. Keys are few and are read whole at start and after a change, so no call waits for the disk to be
 * authenticated. A text is kept as it is, except that NUL and halves of surrogate pairs become U+FFFD.
 */
export interface Store extends VideoJobStore {
  /** All keys that were ever made and not removed, revoked and expired ones too; oldest first. */
  listKeys(): Promise<readonly ApiKey[]>
  /** Rejects with `conflict` when the id or the hash is known already. */
  addKey(key: ApiKey): Promise<void>
  /** Returns false when there is no such key or it is revoked already. */
  revokeKey(id: string, at: number): Promise<boolean>
  /** A text that differs after anyone, in this process or another, changed a key. Cheap: asked every second. */
  keysVersion(): Promise<string>

  /**
   * Rejects with `conflict` when the id is known already. `upstreamIds` are what an upstream knows of it: its items and
   * whatever else it made, and itself.
   */
  addResponse(response: StoredResponse, upstreamIds?: readonly string[]): Promise<void>
  findResponse(id: string): Promise<StoredResponse | undefined>
  /** Its upstream ids stay, as deleted. */
  deleteResponse(id: string): Promise<boolean>
  /** Whose these ids are, in no order; an id that several keys were shown comes once for each. */
  findUpstreamIds(ids: readonly string[]): Promise<readonly UpstreamId[]>

  /**
   * Appends. The record is written a little later, together with others, and retried until it is; a regular stop loses
   * none. While the database refuses to write, a bounded number waits and later ones are lost, which is reported.
   */
  recordUsage(record: UsageRecord): void
  /** Writes something of no account. Rejects while nothing can be kept, as on a disk that is full or read-only. */
  checkWritable(): Promise<void>
  /** Waits until all that was recorded before is on disk. Rejects when writing fails; the records are kept. */
  flush(): Promise<void>
  /** When the last call of each key began, in milliseconds since the epoch; keys that made none are absent. */
  lastUse(): Promise<ReadonlyMap<string, number>>
  /** The newest first, those included that were waiting to be written. */
  listUsage(page: { readonly limit: number }): Promise<readonly UsageRecord[]>
}
