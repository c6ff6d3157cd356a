/** What a request holds in memory until it is over. */
export interface HeldBytes {
  /** So far. */
  readonly bytes: number
  /** Throws `rate_limited` or `overloaded` where there is no room for so many more. */
  add(bytes: number): void
}
