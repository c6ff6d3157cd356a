/** Calls that were refused for one reason within one hour, before any upstream was asked. */
export interface Refusals {
  /** The beginning of the hour, in milliseconds since the epoch. */
  readonly hour: number
  readonly keyId: string
  readonly userId?: string
  readonly teamId?: string
  readonly organizationId?: string
  readonly operation: string
  /** The gateway's own name of the error. */
  readonly code: string
  readonly status: number
  readonly count: number
  /** When the last of them ended, in milliseconds since the epoch. */
  readonly lastAt: number
  /** The last of them: what its caller was told, its id, and the model that it named where that was read. */
  readonly message: string
  readonly callId: string
  readonly model?: string
}

/** Which refusals are meant: of the hours that begin from `from` and before `to`. */
export interface RefusalQuestion {
  readonly from: number
  readonly to: number
  readonly keyId?: string
  readonly userId?: string
  readonly teamId?: string
  readonly organizationId?: string
  readonly operation?: string
  readonly limit: number
}

/** Who was refused, and why, in sums by the hour: the ledger has calls that were let in alone. */
export interface RefusalBook {
  /** Adds to what is there, from whichever process. */
  add(refusals: readonly Refusals[]): Promise<void>
  /** One for each reason, key and operation, with the first of its hours: those that were refused most first. */
  list(question: RefusalQuestion): Promise<readonly Refusals[]>
  /** Removes hours that began before a moment. */
  forget(before: number): Promise<void>
}
