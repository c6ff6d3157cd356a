/** What an administrator did, in the order in which it was done. */
export interface AuditEntry {
  /** From 1 up, without gaps. */
  readonly sequence: number
  /** Milliseconds since the epoch. */
  readonly at: number
  /** The id of the key that asked for it, or where else it came from. */
  readonly actor: string
  /** What was done, such as `key.rotate`. */
  readonly action: string
  /** The id of what was changed. */
  readonly target: string
  /** What it was, as JSON without secrets and hashes; absent where it was not there. */
  readonly before?: string
  /** What it is now; absent where it is gone. */
  readonly after?: string
  /** The hash of the entry before; empty for the first. */
  readonly previousHash: string
  /** Lower-case hexadecimal SHA-256 of all of the above. */
  readonly hash: string
}
