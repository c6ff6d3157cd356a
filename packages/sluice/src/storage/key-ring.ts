import { callersByHash, type Dated, datedCaller } from '../accounts/callers.ts'
import { isOwner } from '../accounts/rights.ts'
import { hashSecret } from '../accounts/secrets.ts'
import type { Account } from '../ports/account.ts'
import type { ApiKey, Caller } from '../ports/api-key.ts'
import type { Store } from '../ports/store.ts'

/** All keys in memory, so that authenticating a call costs a look-up or two, and never waits for the disk. */
export interface KeyRing extends AsyncDisposable {
  /** Whose a secret is, with or without its leading `sk-`; undefined when unknown, expired, disabled or revoked. */
  find(secret: string): Caller | undefined
  /** The same by the hash of the secret. */
  findHash(hash: string): Caller | undefined
  /** Whether a key, or what stands for one without a secret, and all it belongs to, is still valid. */
  isValid(key: ApiKey): boolean
  /** A key without a secret, with the owners that it has now; undefined where one of them is not valid. */
  dated(key: ApiKey): Dated | undefined
  /** Calls `changed` whenever keys or accounts have changed, and every second besides, since some may have expired. */
  watch(changed: () => void): Disposable
  /** Whether an owner's key is among those of the settings. */
  hasFixedOwner(): boolean
  /** The keys that come from the settings. */
  fixed(): readonly ApiKey[]
  /** Replaces the keys that come from the settings. */
  setFixed(keys: readonly ApiKey[]): void
  /** Reads the kept keys again now, instead of within half a second of a change. */
  reload(): Promise<void>
}

export interface KeyRingOptions {
  /** Keys from the environment and from sluice.yaml. They are not in the store, and they win where both know a secret. */
  readonly fixed: readonly ApiKey[]
  /** Milliseconds since the epoch. Default: the system's clock. */
  readonly now?: () => number
  /** How often another process's changes are looked for. Default 500 ms. */
  readonly pollMs?: number
  /**
   * Told when the store cannot be read any more, once until it can; the keys known so far go on working. Default: nobody
   * is told.
   */
  readonly readFailed?: (error: unknown) => void
}

/** A revoked key is refused by every process within two seconds, of which a busy machine may take the most. */
const pollMsUsual = 500
/** How often it is looked whether keys have expired. */
const expiryMs = 1_000

/** Reads the keys and follows their changes until disposed. Does not dispose the store. */
export async function openKeyRing(
  store: Pick<Store, 'keysVersion' | 'listKeys' | 'listAccounts'>,
  options: KeyRingOptions,
): Promise<KeyRing> {
  const { now = Date.now, pollMs = pollMsUsual, readFailed = () => {} } = options
  const ring = new Ring(options.fixed)
  const readNext = oneAfterTheOther(readerInto(ring, store))
  let isReadable = true
  async function poll(): Promise<void> {
    // A slow store is not asked again before it has answered.
    if (readNext.isRunning()) return
    try {
      await readNext.run()
      isReadable = true
    } catch (error) {
      if (isReadable) readFailed(error)
      isReadable = false
    }
  }

  await readNext.run()
  const timers = [
    setInterval(() => void poll(), pollMs).unref(),
    setInterval(() => ring.tell(), expiryMs).unref(),
  ]

  return {
    find: (secret) => ring.find(secret, now()),
    findHash: (hash) => ring.findHash(hash, now()),
    isValid: (key) => ring.isValid(key, now()),
    dated: (key) => ring.dated(key),
    watch: (changed) => ring.watch(changed),
    hasFixedOwner: () => ring.hasFixedOwner(),
    fixed: () => ring.fixed(),
    setFixed: (keys) => ring.setFixed(keys),
    reload: () => readNext.run(),
    async [Symbol.asyncDispose]() {
      for (const timer of timers) clearInterval(timer)
      await readNext.last()?.catch(() => {})
    },
  }
}

/** Reads what has changed since it was read last. */
function readerInto(
  ring: Ring,
  store: Pick<Store, 'keysVersion' | 'listKeys' | 'listAccounts'>,
): () => Promise<void> {
  let version = ''
  return async () => {
    // Asked before the lists: a change in between is then seen as a change once more, never missed.
    const current = await store.keysVersion()
    if (current === version) return
    const keys = await store.listKeys()
    ring.setKept(keys, await store.listAccounts())
    version = current
  }
}

/** Runs one at a time, so that what is read later is never overwritten by what was read earlier. */
function oneAfterTheOther(work: () => Promise<void>) {
  let running: Promise<void> | undefined
  return {
    isRunning: () => running !== undefined,
    last: () => running,
    run(): Promise<void> {
      const mine = (running ?? Promise.resolve())
        .catch(() => {})
        .then(work)
        .finally(() => {
          if (running === mine) running = undefined
        })
      running = mine
      return mine
    },
  }
}

const seenMax = 10_000

/** The callers as they were read last. */
class Ring {
  #fixed: ReadonlyMap<string, Dated>
  #kept: ReadonlyMap<string, Dated> = new Map()
  #accounts: ReadonlyMap<string, Account> = new Map()
  /** When each key ends. */
  #ends: ReadonlyMap<string, number> = new Map()
  readonly #watchers = new Set<() => void>()
  /** A secret's hash is made once for those in use: they are in memory with every request as well. */
  #seen = new Map<string, Dated>()
  /** Of keys without a secret. */
  #dated = new WeakMap<ApiKey, Dated>()

  constructor(fixed: readonly ApiKey[]) {
    this.#fixed = callersByHash(fixed, [])
    this.#changed()
  }

  setFixed(keys: readonly ApiKey[]): void {
    this.#fixed = callersByHash(keys, [])
    this.#changed()
  }

  setKept(keys: readonly ApiKey[], accounts: readonly Account[]): void {
    this.#kept = callersByHash(keys, accounts)
    this.#accounts = new Map(accounts.map((account) => [account.id, account]))
    this.#changed()
  }

  find(secret: string, time: number): Caller | undefined {
    return valid(this.#seen.get(secret) ?? this.#look(secret), time)
  }

  findHash(hash: string, time: number): Caller | undefined {
    return valid(this.#withHash(hash), time)
  }

  /** The same caller for the same key, until something changes: what is found out once for a caller is kept by it. */
  dated(key: ApiKey): Dated | undefined {
    const known = this.#dated.get(key)
    if (known) return known
    const found = datedCaller(key, this.#accounts)
    if (found) this.#dated.set(key, found)
    return found
  }

  isValid(key: ApiKey, time: number): boolean {
    const end = key.hash === '' ? this.dated(key)?.expiresAt : this.#ends.get(key.id)
    return end !== undefined && end > time
  }

  watch(changed: () => void): Disposable {
    this.#watchers.add(changed)
    return { [Symbol.dispose]: () => void this.#watchers.delete(changed) }
  }

  fixed(): readonly ApiKey[] {
    return [...this.#fixed.values()].map(({ caller }) => caller)
  }

  hasFixedOwner(): boolean {
    return this.fixed().some(isOwner)
  }

  tell(): void {
    for (const changed of this.#watchers) changed()
  }

  #look(secret: string): Dated | undefined {
    const found = this.#withHash(hashSecret(secret))
    if (!found) return undefined
    if (this.#seen.size >= seenMax) this.#seen.clear()
    this.#seen.set(secret, found)
    return found
  }

  #withHash(hash: string): Dated | undefined {
    return this.#fixed.get(hash) ?? this.#kept.get(hash)
  }

  #changed(): void {
    this.#seen = new Map()
    this.#dated = new WeakMap()
    const ends = new Map<string, number>()
    // An older secret may end before its key does.
    for (const { caller, expiresAt } of [...this.#kept.values(), ...this.#fixed.values()])
      ends.set(caller.id, Math.max(expiresAt, ends.get(caller.id) ?? 0))
    this.#ends = ends
    this.tell()
  }
}

function valid(found: Dated | undefined, time: number): Caller | undefined {
  return found !== undefined && found.expiresAt > time ? found.caller : undefined
}
