/** The memory a request holds until it is over. */
export interface HeldBytes {
  /** Bytes held so far. */
  readonly bytes: number
  /** Throws `rate_limited` or `overloaded` if there is no room for this many more. */
  add(bytes: number): void
}
