/** Calls refused for one reason within one hour, before any upstream was asked. */
export interface Refusals {
  /** The start of the hour, in milliseconds since the epoch. */
  readonly hour: number
  readonly keyId: string
  readonly userId?: string
  readonly teamId?: string
  readonly organizationId?: string
  readonly operation: string
  /** The gateway's error code. */
  readonly code: string
  readonly status: number
  readonly count: number
  /** When the last of them ended, in milliseconds since the epoch. */
  readonly lastAt: number
  /** Of the last one: the message to its caller, its id, and the requested model if that was read. */
  readonly message: string
  readonly callId: string
  readonly model?: string
}

/** Selects refusals whose hour begins at or after `from` and before `to`. */
export interface RefusalQuery {
  readonly from: number
  readonly to: number
  readonly keyId?: string
  readonly userId?: string
  readonly teamId?: string
  readonly organizationId?: string
  readonly operation?: string
  readonly limit: number
}

/** One refused call. */
export interface KeptRefusal {
  readonly callId: string
  /** The caller's `x-request-id`. */
  readonly requestId?: string
  /** When it ended, in milliseconds since the epoch. */
  readonly at: number
  readonly durationMs: number
  readonly keyId: string
  readonly userId?: string
  readonly teamId?: string
  readonly organizationId?: string
  readonly operation: string
  readonly format: string
  /** As the caller wrote it; absent if the request was not read that far. */
  readonly model?: string
  readonly status: number
  /** The gateway's error code. */
  readonly code: string
  /** The message to the caller. */
  readonly message: string
}

/** Selects refused calls that ended at or after `from` and before `to` and match all that is given. */
export interface RefusalSearch extends RefusalQuery {
  /** The gateway's or the caller's id. */
  readonly id?: string
  readonly format?: string
  readonly model?: string
  /** An inclusive range. */
  readonly status?: readonly [number, number]
  /** The last one of the previous page. */
  readonly before?: { readonly at: number; readonly callId: string }
}

/** Refused calls, summed by hour, and a part of them as they were: the ledger has only admitted calls. */
export interface RefusalStore {
  /** Stores calls; those that are stored already stay as they are. */
  keep(refusals: readonly KeptRefusal[]): Promise<void>
  /** Newest first. */
  search(question: RefusalSearch): Promise<readonly KeptRefusal[]>
  /** Removes stored calls that ended before a moment. */
  forgetKept(before: number): Promise<void>
  /** Adds to the existing sums, from any process. */
  add(refusals: readonly Refusals[]): Promise<void>
  /** One entry per reason, key and operation, with the first of its hours; most frequent first. */
  list(question: RefusalQuery): Promise<readonly Refusals[]>
  /** Removes hours that began before a moment. */
  forget(before: number): Promise<void>
}
