/** A command that cannot do what was asked; its message is a sentence that says why. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
}
