import type { ApiKey, Store } from '@sluice/contract'
import { hashSecret } from './secrets.ts'

/** All keys in memory, so that authenticating a call costs one hash and one look-up, and never waits for the disk. */
export interface KeyRing extends AsyncDisposable {
  /** The key of a secret, with or without its leading `sk-`; undefined when unknown, expired or revoked. */
  find(secret: string): ApiKey | undefined
  /** Replaces the keys that come from the settings. */
  setFixed(keys: readonly ApiKey[]): void
  /** Reads the kept keys again now, instead of within a second of a change. */
  reload(): Promise<void>
}

export interface KeyRingOptions {
  /** Keys from the environment and from sluice.yaml. They are not in the store, and they win where both know a secret. */
  readonly fixed: readonly ApiKey[]
  /** Milliseconds since the epoch. Default: the system's clock. */
  readonly now?: () => number
  /** How often another process's changes are looked for. Default 1,000 ms. */
  readonly pollMs?: number
  /** Told when the store could not be read; the keys known so far go on working. Default: nobody is told. */
  readonly readFailed?: (error: unknown) => void
}

/** Reads the keys and follows their changes until disposed. Does not dispose the store. */
export async function openKeyRing(store: Store, options: KeyRingOptions): Promise<KeyRing> {
  const { now = Date.now, pollMs = 1_000, readFailed = () => {} } = options
  let fixed = byHash(options.fixed)
  let kept = new Map<string, ApiKey>()
  let version = ''

  async function reload(): Promise<void> {
    // Asked before the list: a change in between is then seen as a change once more, never missed.
    const current = await store.keysVersion()
    if (current === version) return
    kept = byHash(await store.listKeys())
    version = current
  }

  await reload()
  const timer = setInterval(() => {
    reload().catch(readFailed)
  }, pollMs).unref()

  return {
    find(secret) {
      const hash = hashSecret(secret)
      const key = fixed.get(hash) ?? kept.get(hash)
      return key && isValid(key, now()) ? key : undefined
    },
    setFixed(keys) {
      fixed = byHash(keys)
    },
    reload,
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
    },
  }
}

function byHash(keys: readonly ApiKey[]): Map<string, ApiKey> {
  return new Map(keys.map((key) => [key.hash, key]))
}

function isValid(key: ApiKey, time: number): boolean {
  return key.revokedAt === undefined && (key.expiresAt === undefined || key.expiresAt > time)
}
