/** A change of one field of a request. */
export type Change = NewValue | ChangedValue

export interface NewValue {
  /** The names that lead to the field: its own, and before it that of the object which holds it. */
  readonly path: readonly [string] | readonly [string, string]
  /** Undefined: the field is removed. */
  readonly value: unknown
  readonly change?: undefined
}

/**
 * The value of a top-level field that is changed where it is whole, because texts may be missing in the request that the change was
 * made for.
 */
interface ChangedValue {
  readonly path: readonly [string]
  readonly change: (value: unknown) => unknown
}

/** Where a translation tells what its target cannot express. Paths are those of the form that it translates. */
export interface Reports {
  /**
   * Reports a field that the target cannot express and without which the response would mean something else. Throws
   * `unsupported_parameter` with this path, or, in the mode `report`, records it as dropped and returns. Never called for
   * values that equal the upstream's default behavior (n 1, penalties 0, logprobs false, null …).
   */
  readonly unsupported: (param: string, reason?: string) => void
  /**
   * Reports an advisory field that the target does not support, such as `user` or one that no schema lists. It is left out and
   * named in `x-sluice-dropped`. Throws `unsupported_parameter` only in the mode `refuse`.
   */
  readonly leftOut: (param: string, reason?: string) => void
}

/** The names of a target's model. */
export interface ModelNames {
  /** The upstream's own name of the model. */
  readonly model: string
  /** The name by which the rules of its family are found. */
  readonly family: string
}

/** The model that gets a request in the caller's own format. */
export interface NativeTarget extends Reports, ModelNames {
  /** The most tokens that it writes in one response; undefined if unknown. Called only for a request with a limit. */
  readonly outputTokensMax: () => number | undefined
}
