/** A wrong setting. Its message is a sentence that names the setting; it stops the start, or leaves a running gateway as it is. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}
