import { hash, randomBytes } from 'node:crypto'
import type { ApiKey } from '../ports/api-key.ts'

const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 43 of 62 letters carry 256 bits. */
const secretLength = 43
/** Enough to recognize a key in a list, too little to guess it: `sk-` and five letters. */
const prefixLength = 8

/** A new secret: `sk-` and 43 random letters and digits. */
export function createSecret(): string {
  return `sk-${randomLetters(secretLength)}`
}

const createdForm = new RegExp(`^(?:sk-)?[0-9A-Za-z]{${secretLength}}$`)

/** Whether `createSecret` could have made this secret, with or without its `sk-`. */
export function isCreatedSecret(secret: string): boolean {
  return createdForm.test(secret)
}

/** A random id with a prefix. */
export function createId(prefix: string): string {
  return prefix + randomLetters(16)
}

/** The first characters of a secret, at most half of it. */
export function prefixOf(secret: string): string {
  return secret.slice(0, Math.min(prefixLength, Math.floor(secret.length / 2)))
}

/** Random letters and digits, uniformly distributed. */
function randomLetters(length: number): string {
  let result = ''
  while (result.length < length) {
    for (const byte of randomBytes(length)) {
      // 248 is the largest multiple of 62 below 256; larger bytes would favor the first letters.
      if (byte < 248 && result.length < length) result += letters[byte % 62]
    }
  }
  return result
}

/** SHA-256 of a secret in lower-case hexadecimal. `sk-abc` and `abc` are the same secret. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret.startsWith('sk-') ? secret.slice(3) : secret)
}

/** The name under which a hash is looked up: those of other schemes are not mixed with our own. */
export function hashName({ hash, hashScheme }: Pick<ApiKey, 'hash' | 'hashScheme'>): string {
  return hashScheme === undefined ? hash : `${hashScheme}:${hash}`
}

/**
 * The name under which a secret is looked up that has none by `hashSecret`; undefined if it cannot have another. Each scheme is
 * a case here.
 */
export function otherHashName(secret: string): string | undefined {
  // Without the prefix both schemes are the same, and only keys that have it are imported.
  if (!secret.startsWith('sk-')) return undefined
  return hashName({ hash: hash('sha256', secret), hashScheme: 'whole' })
}

/** The properties that can be set when creating a key. */
export type KeyOptions = Omit<ApiKey, 'id' | 'hash' | 'hashScheme' | 'prefix' | 'createdAt'>

/** Creates a key. The secret is returned once and not stored. */
export function createKey(options: KeyOptions, now: number): { secret: string; key: ApiKey } {
  const secret = createSecret()
  return { secret, key: keyOf(secret, createId('key_'), options, now) }
}

/** The key of a secret chosen elsewhere, such as in the environment or sluice.yaml. */
export function keyOf(secret: string, id: string, options: KeyOptions, now: number): ApiKey {
  return {
    id,
    hash: hashSecret(secret),
    prefix: prefixOf(secret),
    createdAt: now,
    ...options,
  }
}
