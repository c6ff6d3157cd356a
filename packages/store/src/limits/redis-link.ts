import { createHash } from 'node:crypto'
import { createClient } from '@redis/client'
import { endOfSlot, slotOf } from '@sluice/gateway/accounts/budget-windows.ts'
import type { BudgetWindow, Claim } from '@sluice/gateway/ports/limiter.ts'
import { isRequests } from './redis-amounts.ts'
import { limiterScript } from './redis-script.ts'

export interface RedisLinkOptions {
  /** Such as `redis://127.0.0.1:6379`. */
  readonly url: string
  /** Prefix of all keys. Default `{sluice}:`, which keeps them in one slot of a cluster. */
  readonly prefix?: string
  /** Timeout of a command, in milliseconds. Default 1,000. */
  readonly timeoutMs?: number
  /** Milliseconds since the epoch; replaces Redis' own clock. */
  readonly now?: () => number
}

/** Whether budgets are recalled, and what is called when the connection is lost. */
interface LinkUse {
  readonly recalls: boolean
  readonly lost: (error: unknown) => void
}

export interface Command {
  readonly op: 'reserve' | 'look' | 'settle' | 'renew' | 'seed' | 'charge' | 'restore'
  readonly id: string
  readonly leaseMs: number
  readonly claims: readonly Claim[]
  /** Replaces the amounts of the claims. */
  readonly amounts?: readonly number[]
  /**
   * For a seed: when the amounts after the first were spent; to restore: when the reservation was made; in milliseconds since the
   * epoch.
   */
  readonly dates?: readonly number[]
  /** For a settlement: what to charge if Redis has lost its data, including the reservation. */
  readonly charges?: readonly Claim[]
}

/** Redis has lost its data, and is not used before what they said is counted anew. */
export class RedisEmptied extends Error {
  override readonly name = 'RedisEmptied'

  constructor(message = 'Redis has lost its data: spending is counted again') {
    super(message)
  }
}

const timeoutMsUsual = 1_000
/** How long an unsettled reservation is kept; a later settlement has no effect. */
const recordMs = 24 * 3_600_000
/** How long a new connection may take before it is replaced, in milliseconds. */
const connectMs = 2_000

/** A connection to Redis and the commands of the limiter's script. */
export class RedisLink {
  readonly #options: RedisLinkOptions
  readonly #use: LinkUse
  readonly #digest = createHash('sha1').update(limiterScript).digest('hex')
  #client
  #connectedAt = 0

  constructor(options: RedisLinkOptions, use: LinkUse) {
    this.#options = options
    this.#use = use
    this.#client = this.#createClient()
  }

  connect(): Promise<unknown> {
    this.#connectedAt = performance.now()
    const connecting = this.#client.connect()
    connecting.catch(() => undefined)
    return within(connectMs, connecting)
  }

  /** A connection lost without being closed would stay silent forever. */
  connectAnew(): void {
    if (performance.now() - this.#connectedAt < connectMs) return
    if (this.#client.isOpen) this.#client.destroy()
    this.#client = this.#createClient()
    this.connect().catch(() => undefined)
  }

  /** `isUp`: waits for the commands that are on their way. */
  async close(isUp: boolean): Promise<void> {
    const { timeoutMs = timeoutMsUsual } = this.#options
    if (isUp) await within(timeoutMs, this.#client.close()).catch(() => undefined)
    if (this.#client.isOpen) this.#client.destroy()
  }

  /** Sends a command of Redis itself. `name` is that of a key without its prefix. */
  async send(command: string, name: string, ...rest: readonly string[]): Promise<unknown> {
    const { timeoutMs = timeoutMsUsual } = this.#options
    return within(timeoutMs, this.#client.sendCommand([command, this.#key(name), ...rest]))
  }

  /** @throws RedisEmptied if Redis has lost its data. */
  async run(command: Command): Promise<readonly string[]> {
    const { op, id, leaseMs, claims, amounts, dates = [] } = command
    const { now, timeoutMs = timeoutMsUsual } = this.#options
    const keys = [this.#key(`call:${id}`), this.#key(openName)]
    const time = now === undefined ? '' : String(now())
    const date = now === undefined ? Date.now() : now()
    const lifetimeMs = op === 'reserve' && claims.every(isRequests) ? leaseMs : recordMs
    const values = [time, op, id, String(leaseMs), String(lifetimeMs)]
    for (const [index, claim] of claims.entries()) {
      const own = claim.kind === 'concurrency' ? 1 : claim.amount
      const window = claim.kind === 'budget' ? String(claim.window) : ''
      for (const part of ['', '-nano', '-open'])
        keys.push(this.#key(`${claim.kind}${part}:${window}:${claim.bucket}`))
      const periods = claim.kind === 'budget' ? periodsOf(claim.window, date) : ''
      values.push(claim.kind, String(claim.limit), String(amounts?.[index] ?? own), periods)
    }
    values.push(this.#use.recalls ? 'recall' : '', ...dates.map(String))
    const reply = await within(timeoutMs, this.#evaluate(keys, values))
    if (reply[0] === 'closed') throw new RedisEmptied()
    return reply
  }

  #key(name: string): string {
    return `${this.#options.prefix ?? '{sluice}:'}${name}`
  }

  #createClient() {
    const client = createClient({
      url: this.#options.url,
      disableOfflineQueue: true,
      socket: { reconnectStrategy: (tries) => Math.min(50 * 2 ** tries, 1_000) },
    })
    // Emitted for each failed connection; the outcome is decided by the commands.
    client.on('error', this.#use.lost)
    return client
  }

  async #evaluate(keys: string[], values: string[]): Promise<readonly string[]> {
    const options = { keys, arguments: values }
    try {
      return textsIn(await this.#client.evalSha(this.#digest, options))
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error
      return textsIn(await this.#client.eval(limiterScript, options))
    }
  }
}

/** A reply that is a list of texts. */
export function textsIn(reply: unknown): readonly string[] {
  const texts: readonly unknown[] = Array.isArray(reply) ? reply : []
  if (!texts.every((text) => typeof text === 'string'))
    throw new TypeError('Redis replied with something else than texts')
  return texts
}

/** Scripts of Redis know no calendar: a calendar window is given as the starts of the periods around now. */
function periodsOf(window: BudgetWindow, date: number): string {
  if (typeof window === 'number' || window === 'lifetime') return String(window)
  const slot = slotOf(window, date) - 1
  const known = periodTexts.get(window)
  if (known?.slot === slot) return known.text
  const starts = [slot, slot + 1, slot + 2, slot + 3].map((one) => endOfSlot(window, one - 1))
  const text = `zone:${slot}:${starts.join(',')}`
  periodTexts.set(window, { slot, text })
  return text
}

/** Of each calendar window. */
const periodTexts = new Map<BudgetWindow, { readonly slot: number; readonly text: string }>()

/** The key that Redis has as long as it has lost nothing. */
export const openName = 'open'

export async function within<T>(ms: number, work: Promise<T>, who = 'Redis'): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const late = () => reject(new Error(`${who} did not answer within ${ms} ms`))
  // If this process itself was blocked, the answer has arrived meanwhile and is read first.
  const timer = setTimeout(() => setImmediate(late), ms)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}
