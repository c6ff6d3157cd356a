import type { Config } from './config.ts'
import { ConfigError } from './config-error.ts'

/** Shorter secrets can be guessed, or found from their hash. */
export const keyLengthMin = 16

/**
 * The names of API keys that are too short to be safe, for a warning.
 *
 * @throws ConfigError if the administrator's key is too short.
 */
export function shortKeys({ adminKey, apiKeys, keys }: Config): readonly string[] {
  if (adminKey !== undefined && adminKey.length < keyLengthMin)
    throw new ConfigError(
      `SLUICE_ADMIN_KEY has ${adminKey.length} characters and must have at least ${keyLengthMin}`,
    )
  return [
    ...apiKeys.flatMap((key, index) =>
      key.length < keyLengthMin ? [`SLUICE_API_KEYS, number ${index + 1}`] : [],
    ),
    ...keys.flatMap(({ name, key }) => (key.length < keyLengthMin ? [`keys: ${name}`] : [])),
  ]
}
