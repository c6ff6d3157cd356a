import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto'

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16
const version = 'v1'

interface SealingKey {
  /** The beginning of a hash of the key, by which a text tells with which key it was encrypted. */
  readonly id: string
  readonly bytes: Buffer
}

/**
 * Encrypts stored settings (AES-256-GCM, NIST SP 800-38D) with keys from the environment, so that neither the database nor a
 * backup of it tells them. The first key encrypts, and all decrypt, so that a key can be replaced.
 */
export class Sealing {
  readonly #keys: readonly SealingKey[]

  /** `secrets` are long random texts; without any, nothing can be encrypted or decrypted. */
  constructor(secrets: readonly string[]) {
    this.#keys = secrets.map((secret) => ({
      id: hash('sha256', `sluice encryption key ${secret}`, 'base64url').slice(0, 8),
      bytes: Buffer.from(hkdfSync('sha256', secret, 'sluice', 'stored settings', 32)),
    }))
  }

  /** Whether there is a key. */
  get isPossible(): boolean {
    return this.#keys.length > 0
  }

  /** Encrypts a text for a place, such as `providers/acme`: it cannot be decrypted as that of another place. */
  seal(text: string, place: string): string {
    const [key] = this.#keys
    if (!key) throw new Error('There is no encryption key')
    const nonce = randomBytes(nonceBytes)
    const cipher = createCipheriv(algorithm, key.bytes, nonce)
    cipher.setAAD(Buffer.from(place))
    const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final()])
    return `${version}.${key.id}.${Buffer.concat([sealed, cipher.getAuthTag()]).toString('base64url')}`
  }

  /** The text; undefined if no key here encrypted it for this place. */
  open(sealed: string, place: string): string | undefined {
    const key = this.#keyOf(sealed)
    if (!key) return undefined
    const bytes = Buffer.from(sealed.slice(sealed.lastIndexOf('.') + 1), 'base64url')
    if (bytes.length < nonceBytes + tagBytes) return undefined
    const decipher = createDecipheriv(algorithm, key.bytes, bytes.subarray(0, nonceBytes), {
      authTagLength: tagBytes,
    })
    decipher.setAAD(Buffer.from(place))
    decipher.setAuthTag(bytes.subarray(-tagBytes))
    try {
      const text = decipher.update(bytes.subarray(nonceBytes, -tagBytes))
      return Buffer.concat([text, decipher.final()]).toString('utf8')
    } catch {
      // Changed, or moved from another place.
      return undefined
    }
  }

  /** Whether the first key encrypted it. */
  isNewest(sealed: string): boolean {
    return this.#keyOf(sealed) === this.#keys[0]
  }

  #keyOf(sealed: string): SealingKey | undefined {
    const [form, id] = sealed.split('.', 2)
    return form === version ? this.#keys.find((key) => key.id === id) : undefined
  }
}
