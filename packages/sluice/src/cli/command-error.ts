/** A command failed; the message is a sentence that says why. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
}
