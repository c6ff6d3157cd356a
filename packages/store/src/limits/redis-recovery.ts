import { randomBytes } from 'node:crypto'
import { openName, RedisEmptied, type RedisLink, textsIn, within } from './redis-link.ts'

/** What processes that share Redis have in common beside it: the ledger. */
export interface LedgerRecount {
  /** The name of this process among `present`. */
  readonly name: string
  /** Writes to the ledger what this process has settled. */
  readonly count: () => Promise<void>
  /** The processes whose settled calls may not be in the ledger yet: running ones, and dead ones whose journals nobody has read. */
  readonly present: () => Promise<readonly string[]>
  /** Called with those that were not waited for any longer. */
  readonly missed: (names: readonly string[]) => Promise<void>
}

export interface OwnRecovery {
  /** Called once, first: what is settled by now is in the ledger, and Redis need not hear of it. */
  readonly forget: () => void
  /** Reserves again what is not settled. */
  readonly restore: () => Promise<void>
}

/** How long Redis stays closed for those that do not count, in milliseconds. */
const missingMs = 30_000
/** How long one attempt waits for the ledger, in milliseconds: a start must not wait for long. */
const countMs = 1_000

/** Identifies one loss of data. */
const closedName = 'closed'
const countedName = 'counted'

/**
 * Opens a Redis that has lost its data, once all who share it have counted: they have restored the reservations of their open
 * calls, and written what they have settled to the ledger, from which budgets are then recalled. Until then nothing is admitted:
 * what one process has not written would be forgotten by a recall of another.
 */
export class RedisRecovery {
  readonly #link: RedisLink
  readonly #counting: LedgerRecount | undefined
  readonly #missingMs: number
  /** The loss for which reservations were restored, and the one that was counted for. */
  #restored = ''
  #counted = ''
  /** The loss that is being counted for, and since when. */
  #loss = ''
  #since = 0

  constructor(link: RedisLink, counting: LedgerRecount | undefined, waitMs = missingMs) {
    this.#link = link
    this.#counting = counting
    this.#missingMs = waitMs
  }

  async isOpen(): Promise<boolean> {
    return (await this.#link.send('EXISTS', openName)) === 1
  }

  /**
   * Takes part, and opens Redis if nobody is missing or the time is over.
   *
   * @throws RedisEmptied if others are waited for.
   */
  async takePart(own: OwnRecovery): Promise<void> {
    if (await this.#noticeLoss()) own.forget()
    const leftMs = Math.max(0, this.#since + this.#missingMs - performance.now())
    let missing: readonly string[] = []
    try {
      await this.#count(own)
      missing = await this.#missing()
    } catch (error) {
      // A ledger that does not answer must not keep limits closed for ever.
      if (leftMs > 0) throw error
    }
    if (missing.length > 0 && leftMs > 0)
      throw new RedisEmptied(`Redis has lost its data: ${missing.length} gateways have not counted`)
    await this.#link.send('SET', openName, '1')
    for (const name of [closedName, countedName]) await this.#link.send('DEL', name)
    if (missing.length > 0) await this.#counting?.missed(missing)
  }

  /** Whether this is another loss than before. */
  async #noticeLoss(): Promise<boolean> {
    await this.#link.send('SET', closedName, randomBytes(9).toString('base64url'), 'NX')
    const loss = String(await this.#link.send('GET', closedName))
    if (loss === this.#loss) return false
    this.#loss = loss
    this.#since = performance.now()
    return true
  }

  async #count({ restore }: OwnRecovery): Promise<void> {
    const loss = this.#loss
    if (this.#counted === loss) return
    // Once: what is settled from then on is found in Redis.
    if (this.#restored !== loss) await restore()
    this.#restored = loss
    if (this.#counting) {
      await within(countMs, this.#counting.count(), 'The ledger')
      await this.#link.send('HSET', countedName, this.#counting.name, '1')
    }
    this.#counted = loss
  }

  async #missing(): Promise<readonly string[]> {
    if (!this.#counting) return []
    const counted = new Set(textsIn(await this.#link.send('HKEYS', countedName)))
    return (await this.#counting.present()).filter((name) => !counted.has(name))
  }
}
