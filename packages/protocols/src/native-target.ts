/** A change of one field of a request. */
export interface Change {
  /** The names that lead to the field: its own, and before it that of the object which holds it. */
  readonly path: readonly [string] | readonly [string, string]
  /** Undefined: the field is removed. */
  readonly value: unknown
}

/** The model that gets a request in the caller's own format. */
export interface NativeTarget {
  /** The upstream's own name of the model. */
  readonly model: string
  /** The most tokens that it writes in one response; undefined if unknown. Called only for a request with a limit. */
  readonly outputTokensMax: () => number | undefined
  /** As in CodecContext, with paths in the caller's format. */
  readonly unsupported: (param: string, reason?: string) => void
  readonly leftOut: (param: string, reason?: string) => void
}
