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

/** Refused calls, summed by hour: the ledger has only admitted calls. */
export interface RefusalStore {
  /** Adds to the existing sums, from any process. */
  add(refusals: readonly Refusals[]): Promise<void>
  /** One entry per reason, key and operation, with the first of its hours; most frequent first. */
  list(question: RefusalQuery): Promise<readonly Refusals[]>
  /** Removes hours that began before a moment. */
  forget(before: number): Promise<void>
}
