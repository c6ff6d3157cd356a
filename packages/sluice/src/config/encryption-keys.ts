import { readFileSync } from 'node:fs'
import { ConfigError } from './config-error.ts'
import type { Environment } from './env.ts'

/** `openssl rand -base64 32` prints 44 characters, `-hex 16` prints 32. */
const charactersMin = 32

/**
 * The keys that encrypt stored providers, from SLUICE_ENCRYPTION_KEY or from the file that SLUICE_ENCRYPTION_KEY_FILE names: one, or
 * several with commas or line breaks between them, the newest first.
 *
 * @throws ConfigError if the file cannot be read, both are set, or a key can be guessed.
 */
export function readEncryptionKeys({
  encryptionKey,
  encryptionKeyFile,
}: Pick<Environment, 'encryptionKey' | 'encryptionKeyFile'>): readonly string[] {
  if (encryptionKey !== undefined && encryptionKeyFile !== undefined)
    throw new ConfigError(
      'SLUICE_ENCRYPTION_KEY and SLUICE_ENCRYPTION_KEY_FILE are both set: remove one of them',
    )
  const text = encryptionKey ?? (encryptionKeyFile === undefined ? '' : textIn(encryptionKeyFile))
  const keys = text
    .split(/[,\s]+/)
    .map((key) => key.trim())
    .filter((key) => key !== '')
  if (encryptionKeyFile !== undefined && keys.length === 0)
    throw new ConfigError(`SLUICE_ENCRYPTION_KEY_FILE names ${encryptionKeyFile}, which is empty`)
  if (keys.some((key) => key.length < charactersMin))
    throw new ConfigError(
      `An encryption key has fewer than ${charactersMin} characters and can be guessed: make one with openssl rand -base64 32`,
    )
  return keys
}

function textIn(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new ConfigError(`SLUICE_ENCRYPTION_KEY_FILE names ${file}, which cannot be read`, {
      cause,
    })
  }
}
