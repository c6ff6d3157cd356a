/** A command failed; the message is a sentence that says why. */
export class CommandError extends Error {
  override readonly name = 'CommandError'

  /** The sentence, followed by the message of its cause. */
  static because(sentence: string, cause: unknown): CommandError {
    return new CommandError(`${sentence}: ${reasonOf(cause)}`, { cause })
  }
}

/** The message of an error. A connection refused by all addresses of a host is an AggregateError without one. */
export function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.message === '')
    return cause.errors.map(reasonOf).join(', ')
  return cause instanceof Error ? cause.message : String(cause)
}
