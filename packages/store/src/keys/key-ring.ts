import {
  callersByHash,
  type ExpiringCaller,
  expiringCaller,
} from '@sluice/gateway/accounts/callers.ts'
import { isOwner } from '@sluice/gateway/accounts/rights.ts'
import { hashSecret, isCreatedSecret, otherHashName } from '@sluice/gateway/accounts/secrets.ts'
import type { Account } from '@sluice/gateway/ports/account.ts'
import type { ApiKey, Caller } from '@sluice/gateway/ports/api-key.ts'
import type { Store } from '@sluice/gateway/ports/store.ts'
import { UnknownKeys } from './unknown-keys.ts'

export interface KeyRingOptions {
  /**
   * Keys from the environment and sluice.yaml. They are not in the store, and take precedence over a stored key with the same
   * secret.
   */
  readonly fixed: readonly ApiKey[]
  /** Milliseconds since the epoch. Default: the system's clock. */
  readonly now?: () => number
  /** Interval for checking for changes by other processes. Default 500 ms. */
  readonly pollMs?: number
  /**
   * Called once when the store can no longer be read, and again only after it could be; known keys keep working. Default:
   * ignored.
   */
  readonly readFailed?: (error: unknown) => void
}

/** Every process refuses a revoked key within two seconds, most of which a busy machine may need. */
const pollMsUsual = 500
/** Interval for checking whether keys have expired. */
const expiryMs = 1_000

/** Reads the keys and follows their changes until disposed. Does not dispose the store. */
export async function openKeyRing(store: KeyStore, options: KeyRingOptions): Promise<KeyRing> {
  const ring = new KeyRing(store, options)
  await ring.reload()
  ring.follow()
  return ring
}

type KeyStore = Pick<Store, 'keysVersion' | 'listKeys' | 'listAccounts'>

/**
 * Runs one at a time, so that an earlier read never overwrites a later one. A run begins after the call that asked for it; those
 * who wait for the next one share it.
 */
function sequentially(work: () => Promise<void>) {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined
  function start(): Promise<void> {
    next = undefined
    const mine = work().finally(() => {
      if (running === mine) running = undefined
    })
    running = mine
    return mine
  }
  return {
    isRunning: () => running !== undefined,
    last: () => next ?? running,
    run(): Promise<void> {
      if (next) return next
      if (!running) return start()
      next = running.catch(() => {}).then(start)
      return next
    },
  }
}

const cachedSecretsMax = 10_000

/** All keys in memory, so that authenticating a call needs only one or two look-ups and no I/O. */
export class KeyRing implements AsyncDisposable {
  readonly #store: KeyStore
  readonly #now: () => number
  readonly #pollMs: number
  readonly #readFailed: (error: unknown) => void
  readonly #reading = sequentially(() => this.#read())
  readonly #unknown = new UnknownKeys(() => this.reload())
  #timers: readonly NodeJS.Timeout[] = []
  #isReadable = true
  /** That of the keys and accounts here. */
  #version = ''
  #fixed: ReadonlyMap<string, ExpiringCaller>
  #stored: ReadonlyMap<string, ExpiringCaller> = new Map()
  /** Whether a stored key has a hash of another scheme than ours. */
  #hasOtherSchemes = false
  #accounts: ReadonlyMap<string, Account> = new Map()
  /** When each key ends. */
  #ends: ReadonlyMap<string, number> = new Map()
  readonly #watchers = new Set<() => void>()
  /** Cache of callers by secret, which saves hashing. The secrets are in memory with every request anyway. */
  #bySecret = new Map<string, ExpiringCaller>()
  /** Cache for keys without a secret. */
  #expiringCallers = new WeakMap<ApiKey, ExpiringCaller>()

  constructor(store: KeyStore, { fixed, now, pollMs, readFailed }: KeyRingOptions) {
    this.#store = store
    this.#now = now ?? Date.now
    this.#pollMs = pollMs ?? pollMsUsual
    this.#readFailed = readFailed ?? (() => {})
    this.#fixed = callersByHash(fixed, [])
    this.#changed()
  }

  /** Follows changes of the store, and of validity. */
  follow(): void {
    this.#timers = [
      setInterval(() => void this.#poll(), this.#pollMs).unref(),
      setInterval(() => this.#notify(), expiryMs).unref(),
    ]
  }

  /** Reads the stored keys now, instead of within half a second of a change. */
  reload(): Promise<void> {
    return this.#reading.run()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    await this.#reading.last()?.catch(() => {})
  }

  /** Replaces the keys from the configuration. */
  setFixed(keys: readonly ApiKey[]): void {
    this.#fixed = callersByHash(keys, [])
    this.#changed()
  }

  /** The caller with this secret, with or without its leading `sk-`; undefined if unknown, expired, disabled or revoked. */
  find(secret: string): Caller | undefined {
    return valid(this.#bySecret.get(secret) ?? this.#look(secret), this.#now())
  }

  /** The same as `find` by the name of the hash, which `hashNameOf` returned for the secret. */
  findHash(name: string): Caller | undefined {
    return valid(this.#withHash(name), this.#now())
  }

  /** The name of the hash by which a secret is known; if it is not, that of our own scheme. */
  hashNameOf(secret: string): string {
    const own = hashSecret(secret)
    const other = this.#withHash(own) ? undefined : otherHashName(secret)
    return other !== undefined && this.#withHash(other) ? other : own
  }

  /**
   * Looks in the store for a secret that `find` does not know, because another process may just have made its key. Undefined if
   * no key has such a secret, or too many were looked for in this second, by all or by this address.
   */
  lookUp(secret: string, address: string): Promise<Caller | undefined> | undefined {
    if (!isCreatedSecret(secret)) return undefined
    const hash = hashSecret(secret)
    return this.#unknown.look(hash, address, this.#now())?.then(() => this.findHash(hash))
  }

  /**
   * A key without a secret, with its current owners; undefined if one of them is not valid. The same object for the same key
   * until something changes, because data is cached per caller.
   */
  expiringCaller(key: ApiKey): ExpiringCaller | undefined {
    const known = this.#expiringCallers.get(key)
    if (known) return known
    const found = expiringCaller(key, this.#accounts)
    if (found) this.#expiringCallers.set(key, found)
    return found
  }

  /** Whether a key (or its stand-in without a secret) and all levels above it are still valid. */
  isValid(key: ApiKey): boolean {
    const end = key.hash === '' ? this.expiringCaller(key)?.expiresAt : this.#ends.get(key.id)
    return end !== undefined && end > this.#now()
  }

  /** Calls `changed` when keys or accounts have changed, and every second because keys may expire. */
  watch(changed: () => void): Disposable {
    this.#watchers.add(changed)
    return { [Symbol.dispose]: () => void this.#watchers.delete(changed) }
  }

  /** The keys from the configuration. */
  fixed(): readonly ApiKey[] {
    return [...this.#fixed.values()].map(({ caller }) => caller)
  }

  /** Whether the configuration contains a key with the owner role. */
  hasFixedOwner(): boolean {
    return this.fixed().some(isOwner)
  }

  #notify(): void {
    for (const changed of this.#watchers) changed()
  }

  async #poll(): Promise<void> {
    // A slow store is not asked again before it has answered.
    if (this.#reading.isRunning()) return
    try {
      await this.reload()
      this.#isReadable = true
    } catch (error) {
      if (this.#isReadable) this.#readFailed(error)
      this.#isReadable = false
    }
  }

  /** Reads changes since the last read. */
  async #read(): Promise<void> {
    // Read before the lists: a change in between is then seen again, never missed.
    const version = await this.#store.keysVersion()
    if (version === this.#version) return
    const keys = await this.#store.listKeys()
    const accounts = await this.#store.listAccounts()
    this.#stored = callersByHash(keys, accounts)
    this.#hasOtherSchemes = [...this.#stored.keys()].some((name) => name.includes(':'))
    this.#accounts = new Map(accounts.map((account) => [account.id, account]))
    this.#changed()
    this.#version = version
  }

  #look(secret: string): ExpiringCaller | undefined {
    const found = this.#withHash(hashSecret(secret)) ?? this.#lookElsewhere(secret)
    if (!found) return undefined
    if (this.#bySecret.size >= cachedSecretsMax) this.#bySecret.clear()
    this.#bySecret.set(secret, found)
    return found
  }

  /** Keys of other gateways, hashed as they do. */
  #lookElsewhere(secret: string): ExpiringCaller | undefined {
    const name = this.#hasOtherSchemes ? otherHashName(secret) : undefined
    return name === undefined ? undefined : this.#stored.get(name)
  }

  #withHash(name: string): ExpiringCaller | undefined {
    return this.#fixed.get(name) ?? this.#stored.get(name)
  }

  #changed(): void {
    this.#bySecret = new Map()
    this.#expiringCallers = new WeakMap()
    const ends = new Map<string, number>()
    // An older secret may end before its key does.
    for (const { caller, expiresAt } of [...this.#stored.values(), ...this.#fixed.values()])
      ends.set(caller.id, Math.max(expiresAt, ends.get(caller.id) ?? 0))
    this.#ends = ends
    this.#notify()
  }
}

function valid(found: ExpiringCaller | undefined, time: number): Caller | undefined {
  return found !== undefined && found.expiresAt > time ? found.caller : undefined
}
