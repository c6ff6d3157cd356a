/** An administrator's change; entries are in the order of the changes. */
export interface AuditEntry {
  /** From 1, without gaps. */
  readonly sequence: number
  /** Milliseconds since the epoch. */
  readonly at: number
  /** The id of the key that made the change, or another origin. */
  readonly actor: string
  /** The action, such as `key.rotate`. */
  readonly action: string
  /** The id of the changed object. */
  readonly target: string
  /** The state before, as JSON without secrets and hashes; absent if it did not exist. */
  readonly before?: string
  /** The state after; absent if it was removed. */
  readonly after?: string
  /** The hash of the previous entry; empty for the first. */
  readonly previousHash: string
  /** Lower-case hexadecimal SHA-256 of all of the above. */
  readonly hash: string
}
