import type { ApiKey } from '../ports/api-key.ts'
import type { Store } from '../ports/store.ts'
import { hashSecret } from './secrets.ts'

/** All keys in memory, so that authenticating a call costs a look-up or two, and never waits for the disk. */
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
  /**
   * Told when the store cannot be read any more, once until it can; the keys known so far go on working. Default: nobody
   * is told.
   */
  readonly readFailed?: (error: unknown) => void
}

/** Reads the keys and follows their changes until disposed. Does not dispose the store. */
export async function openKeyRing(
  store: Pick<Store, 'keysVersion' | 'listKeys'>,
  options: KeyRingOptions,
): Promise<KeyRing> {
  const { now = Date.now, pollMs = 1_000, readFailed = () => {} } = options
  let fixed = byHash(options.fixed)
  let kept = new Map<string, ApiKey>()
  let find = finderIn(fixed, kept)
  let version = ''
  let reading: Promise<void> | undefined

  async function read(): Promise<void> {
    // Asked before the list: a change in between is then seen as a change once more, never missed.
    const current = await store.keysVersion()
    if (current === version) return
    kept = byHash(await store.listKeys())
    find = finderIn(fixed, kept)
    version = current
  }

  /** One after the other, so that what is read later is never overwritten by what was read earlier. */
  function readNext(): Promise<void> {
    const mine = (reading ?? Promise.resolve())
      .catch(() => {})
      .then(read)
      .finally(() => {
        if (reading === mine) reading = undefined
      })
    reading = mine
    return mine
  }

  let isReadable = true
  async function poll(): Promise<void> {
    // A slow store is not asked again before it has answered.
    if (reading) return
    try {
      await readNext()
      isReadable = true
    } catch (error) {
      if (isReadable) readFailed(error)
      isReadable = false
    }
  }

  await readNext()
  const timer = setInterval(() => void poll(), pollMs).unref()

  return {
    find(secret) {
      const key = find(secret)
      return key && isValid(key, now()) ? key : undefined
    },
    setFixed(keys) {
      fixed = byHash(keys)
      find = finderIn(fixed, kept)
    },
    reload: readNext,
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await reading?.catch(() => {})
    },
  }
}

const seenMax = 10_000

/** Looks a secret up by its hash, which is made once for those in use: they are in memory with every request as well. */
function finderIn(
  ...all: readonly ReadonlyMap<string, ApiKey>[]
): (secret: string) => ApiKey | undefined {
  const seen = new Map<string, ApiKey>()
  return (secret) => {
    const known = seen.get(secret)
    if (known) return known
    const hash = hashSecret(secret)
    const key = all.find((keys) => keys.has(hash))?.get(hash)
    if (!key) return undefined
    if (seen.size >= seenMax) seen.clear()
    seen.set(secret, key)
    return key
  }
}

function byHash(keys: readonly ApiKey[]): Map<string, ApiKey> {
  return new Map(keys.map((key) => [key.hash, key]))
}

function isValid(key: ApiKey, time: number): boolean {
  return key.revokedAt === undefined && (key.expiresAt === undefined || key.expiresAt > time)
}
