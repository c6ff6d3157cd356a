/** An invalid setting. The message names the setting. It prevents the start, or leaves a running gateway unchanged. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}
