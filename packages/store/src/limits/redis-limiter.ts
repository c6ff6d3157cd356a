import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { GatewayError } from '@sluice/contract'
import {
  type Actual,
  type BudgetClaim,
  type Claim,
  type Decision,
  type LimitStatus,
  type Limiter,
  type Recall,
  type Reservation,
  type Spent,
} from '@sluice/gateway/ports/limiter.ts'
import { LocalShare } from './local-share.ts'
import { amountsBeyond, undoneAmount, isRequests, chargesOf } from './redis-amounts.ts'
import { type Command, RedisEmptied, RedisLink, type RedisLinkOptions } from './redis-link.ts'
import { Recalls } from './recalls.ts'
import { type LedgerRecount, RedisRecovery } from './redis-recovery.ts'

export interface RedisLimiterOptions extends RedisLinkOptions {
  /**
   * Behavior while Redis is unreachable: refuse all limited calls with 503, or let each of the given number of processes
   * grant its share. Default `refuse`.
   */
  readonly whenDown?: 'refuse' | { readonly processes: number }
  /** Reads what was spent of a budget in its current window; called for budgets unknown to Redis. */
  readonly recall?: Recall
  /** What is needed to count anew when Redis has lost its data. Default: nobody else is waited for. */
  readonly counting?: LedgerRecount
  /** How long others are waited for then, in milliseconds. Default 30,000. */
  readonly countingMs?: number
  /** Called when Redis is lost, with the reason, and when it is back. */
  readonly changed?: (isUp: boolean, reason?: unknown) => void
}

const probeMs = 250
const othersPollMs = 50
/** How long a start waits for Redis, in milliseconds. */
const connectMs = 2_000
/** How often a process that has nothing to ask looks whether Redis has lost its data, in milliseconds. */
const dataCheckMs = 500
/** Maximum number of queued settlements. The oldest are dropped and count as fully used. */
const pendingMax = 100_000
/** Claims of one command that charges what was granted without Redis. */
const chargesAtOnce = 100
/** Reservations restored at the same time. */
const restoresAtOnce = 100
/** Slots of restored reservations are held for this long without renewal, in milliseconds. */
const leaseMs = 60_000

/** A queued settlement. */
interface Pending {
  readonly command: Command
  readonly sent: () => void
}

/**
 * A limiter shared by all processes that use the same Redis. If Redis is unreachable, also at the start, `whenDown` applies until it
 * answers; a start waits two seconds for it and never fails. Disposing closes the connection.
 */
export async function openRedisLimiter(options: RedisLimiterOptions): Promise<Limiter> {
  const limiter = new RedisLimiter(options)
  await limiter.connect()
  return limiter
}

/** A reservation in Redis that is not settled. */
interface OpenReservation {
  readonly claims: readonly Claim[]
  /** Milliseconds since the epoch. */
  readonly at: number
}

class RedisLimiter implements Limiter {
  readonly #options: RedisLimiterOptions
  readonly #link: RedisLink
  readonly #recovery: RedisRecovery
  readonly #local: LocalShare | undefined
  readonly #recalls: Recalls | undefined
  readonly #pending = new Map<string, Pending>()
  /** Charges that are being sent. */
  readonly #charges = new Map<string, Command>()
  readonly #open = new Map<string, OpenReservation>()
  readonly #process = randomBytes(9).toString('base64url')
  #count = 0
  #isUp = false
  #isClosed = false
  #probe: NodeJS.Timeout | undefined
  readonly #dataCheck: NodeJS.Timeout

  constructor(options: RedisLimiterOptions) {
    this.#options = options
    const { whenDown = 'refuse', recall } = options
    this.#recalls = recall && new Recalls(recall, (claim, spent) => this.seed(claim, spent))
    this.#local = whenDown === 'refuse' ? undefined : new LocalShare(whenDown.processes)
    this.#link = new RedisLink(options, {
      recalls: recall !== undefined,
      lost: (error) => this.#lost(error),
    })
    this.#recovery = new RedisRecovery(this.#link, options.counting, options.countingMs)
    this.#dataCheck = setInterval(() => void this.#checkData(), dataCheckMs).unref()
  }

  isShared(): boolean {
    return this.#isUp
  }

  /** Waits for Redis for a short time; a later connection is also found. */
  async connect(): Promise<void> {
    const giveUpAt = performance.now() + connectMs
    try {
      await this.#link.connect()
      while (!this.#isUp) await this.#recover().catch((error) => waitForOthers(error, giveUpAt))
    } catch (error) {
      this.#options.changed?.(false, error)
      this.#scheduleProbe()
    }
  }

  async reserve(claims: readonly Claim[], leaseMs: number): Promise<Decision> {
    if (!this.#isUp) return this.#withoutRedis(claims, leaseMs)
    this.#count += 1
    const command: Command = { op: 'reserve', id: this.#newId(), leaseMs, claims }
    let reply: readonly string[]
    try {
      reply = await this.#link.run(command)
    } catch (error) {
      this.#lost(error)
      // The reservation may have been made nevertheless. Undo it, because the call is refused or counted locally.
      void this.#queue({ ...command, op: 'settle', amounts: claims.map(undoneAmount) })
      return this.#withoutRedis(claims, leaseMs)
    }
    if (reply[0] === 'unknown') {
      await this.#recalled(claims[Number(reply[1]) - 1])
      return this.reserve(claims, leaseMs)
    }
    const levels = levelsOf(claims, reply)
    this.#local?.setRemaining(claims, levels)
    if (reply[0] === 'granted') {
      const { now = Date.now } = this.#options
      if (!claims.every(isRequests)) this.#open.set(command.id, { claims, at: now() })
      return { granted: true, id: command.id, claims, levels }
    }
    const refused = Number(reply[1]) - 1
    const mayReturn = reply.at(-1) === 'mayReturn'
    return { granted: false, claims, levels, refused, retryAfterMs: amountOf(reply[2]), mayReturn }
  }

  /** Never fails: settlements that cannot be sent now are sent later. Redis knows nothing of what was granted without it. */
  async settle(reservation: Reservation, actual: Actual): Promise<void> {
    const { id, claims } = reservation
    if (this.#local?.settle(reservation, actual) === true) return this.#chargeIfUp()
    this.#open.delete(id)
    if (claims.every(isRequests) && actual.requests === undefined) return
    const charges = chargesOf(claims, actual)
    await this.#sendSettlement({
      op: 'settle',
      id,
      leaseMs: 0,
      claims,
      amounts: amountsBeyond(claims, actual),
      charges,
    })
  }

  async settleOrphaned(
    id: string,
    budgets: readonly { readonly claim: BudgetClaim; readonly nanoUsd: number }[],
  ): Promise<void> {
    const claims = budgets.map(({ claim }) => claim)
    const amounts = budgets.map(({ claim, nanoUsd }) => nanoUsd - claim.amount)
    await this.#link.run({ op: 'settle', id, leaseMs: 0, claims, amounts })
  }

  async renew({ id, claims }: Reservation, leaseMs: number): Promise<void> {
    if (this.#pending.has(id) || this.#local?.has(id) === true || !this.#isUp) return
    await this.#link
      .run({ op: 'renew', id, leaseMs, claims })
      .catch((error: unknown) => this.#lost(error))
  }

  async look(claims: readonly Claim[]): Promise<readonly LimitStatus[]> {
    const reply = await this.#link
      .run({ op: 'look', id: '', leaseMs: 0, claims })
      .catch(throwUnanswered)
    if (reply[0] !== 'unknown') return levelsOf(claims, reply)
    await this.#recalled(claims[Number(reply[1]) - 1])
    return this.look(claims)
  }

  async seed(claim: BudgetClaim, spent: readonly Spent[]): Promise<void> {
    const amounts = spent.map(({ nanoUsd }) => nanoUsd)
    const claims = [claim, ...spent.map(() => claim)]
    const dates = spent.map(({ at }) => at)
    await this.#link.run({
      op: 'seed',
      id: '',
      leaseMs: 0,
      claims,
      amounts: [0, ...amounts],
      dates,
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#probe)
    clearInterval(this.#dataCheck)
    // Waits for the settlements that are on their way.
    await this.#link.close(this.#isUp)
  }

  async #recalled(claim: Claim | undefined): Promise<void> {
    if (claim?.kind !== 'budget' || !this.#recalls)
      throw new GatewayError('internal', 'Redis does not know a claim that is no budget')
    await this.#recalls.read(claim)
  }

  #newId(): string {
    return `${this.#process}.${this.#count}`
  }

  #withoutRedis(claims: readonly Claim[], leaseMs: number): Decision {
    if (this.#local) return this.#local.reserve(claims, leaseMs)
    return throwUnanswered()
  }

  #chargeIfUp(): void {
    if (this.#isUp) this.#sendCharges().catch((error: unknown) => this.#lost(error))
  }

  /** Charges what was granted without Redis. */
  async #sendCharges(): Promise<void> {
    const claims = this.#local?.takeUsed() ?? []
    for (let from = 0; from < claims.length; from += chargesAtOnce) {
      this.#count += 1
      const id = this.#newId()
      const some = claims.slice(from, from + chargesAtOnce)
      this.#charges.set(id, { op: 'charge', id, leaseMs: 0, claims: some })
    }
    // One that is sent twice counts once.
    for (const [id, command] of this.#charges) {
      await this.#charge(command)
      this.#charges.delete(id)
    }
  }

  async #sendSettlement(command: Command): Promise<void> {
    if (!this.#isUp) return this.#queue(command)
    try {
      await this.#settled(command)
    } catch (error) {
      const sent = this.#queue(command)
      this.#lost(error)
      await sent
    }
  }

  /** If Redis lost its data during a call, the call's spending is charged to the budgets recalled since. */
  async #settled(command: Command): Promise<void> {
    const { id, charges = [] } = command
    const [reply] = await this.#link.run(command)
    if (reply !== 'forgotten' || charges.length === 0) return
    await this.#charge({ op: 'charge', id, leaseMs: 0, claims: charges })
  }

  /**
   * A budget that Redis does not know is recalled with what is charged once that is in the ledger. Whoever has recalled it until
   * then may not have seen it, so it is charged again if the budget is known by then: at worst it counts twice.
   */
  async #charge(command: Command): Promise<void> {
    const { counting } = this.#options
    const [, ...unknown] = await this.#link.run(command)
    if (unknown.length === 0 || !counting) return
    await counting.count()
    const claims = unknown.flatMap((index) => command.claims[Number(index) - 1] ?? [])
    await this.#link.run({ ...command, id: `${command.id}.again`, claims })
  }

  /** Resolves when it has been sent; never if it is dropped. */
  #queue(command: Command): Promise<void> {
    const [oldest] = this.#pending.size < pendingMax ? [] : this.#pending.keys()
    if (oldest !== undefined) this.#pending.delete(oldest)
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#pending.set(command.id, { command, sent: resolve })
    return promise
  }

  #lost(reason: unknown): void {
    if (!this.#isUp || this.#isClosed) return
    this.#isUp = false
    this.#options.changed?.(false, reason)
    this.#scheduleProbe()
  }

  #scheduleProbe(): void {
    if (this.#isClosed) return
    this.#probe = setTimeout(() => {
      this.#recover().catch(() => {
        if (!this.#isClosed) this.#link.connectAnew()
        this.#scheduleProbe()
      })
    }, probeMs)
    this.#probe.unref()
  }

  /** Whoever asks nothing would not notice, and would be waited for. */
  async #checkData(): Promise<void> {
    if (!this.#isUp) return
    // Whether Redis answers is decided by commands that need an answer.
    const isOpen = await this.#recovery.isOpen().catch(() => true)
    if (!isOpen) this.#lost(new RedisEmptied())
  }

  /** Sends the queued settlements before Redis is used again. */
  async #recover(): Promise<void> {
    const isOpen = await this.#recovery.isOpen()
    if (!isOpen)
      await this.#recovery.takePart({
        forget: () => this.#forgetSettled(),
        restore: () => this.#restore(),
      })
    await this.#sendCharges()
    for (const [id, { command, sent }] of this.#pending) {
      await this.#settled(command)
      this.#pending.delete(id)
      sent()
    }
    this.#local?.reset()
    this.#isUp = true
    // Of calls that ended meanwhile.
    this.#chargeIfUp()
    this.#options.changed?.(true)
    if (!isOpen) void this.#recallOpen()
  }

  #forgetSettled(): void {
    for (const { sent } of this.#pending.values()) sent()
    this.#pending.clear()
    this.#charges.clear()
    this.#local?.takeUsed()
  }

  async #restore(): Promise<void> {
    const open = [...this.#open]
    for (let from = 0; from < open.length; from += restoresAtOnce)
      await Promise.all(
        open
          .slice(from, from + restoresAtOnce)
          .map(([id, { claims, at }]) =>
            this.#link.run({ op: 'restore', id, leaseMs, claims, dates: [at] }),
          ),
      )
  }

  /** Before the restored calls end: they would be in the ledger then, and count twice. */
  async #recallOpen(): Promise<void> {
    const budgets = new Map<string, Claim>()
    for (const { claims } of this.#open.values())
      for (const claim of claims)
        if (claim.kind === 'budget') budgets.set(`${claim.window}:${claim.bucket}`, claim)
    for (const claim of budgets.values()) await this.look([claim]).catch(() => undefined)
  }
}

/** Others that count anew are waited for until then. */
async function waitForOthers(error: unknown, until: number): Promise<void> {
  if (!(error instanceof RedisEmptied) || performance.now() > until) throw error
  await wait(othersPollMs)
}

function throwUnanswered(cause?: unknown): never {
  throw new GatewayError('overloaded', 'The limits cannot be checked: Redis does not respond', {
    retryAfterMs: 1_000,
    cause,
  })
}

function levelsOf(claims: readonly Claim[], reply: readonly string[]): readonly LimitStatus[] {
  return claims.map(({ limit }, index) => ({
    limit,
    remaining: Number(reply[3 + 2 * index]),
    resetMs: amountOf(reply[4 + 2 * index]),
  }))
}

function amountOf(text: string | undefined): number {
  return text === '-1' ? Infinity : Number(text)
}
