import { createHash, randomBytes } from 'node:crypto'
import { createClient } from '@redis/client'
import { GatewayError } from '@sluice/contract'
import {
  type Actual,
  type BudgetClaim,
  type Claim,
  type Decision,
  type Level,
  type Limiter,
  type Recall,
  type Reservation,
  type Spent,
} from '../ports/limiter.ts'
import { LocalShare } from './limiter-local-share.ts'
import { beyond, givenBack, isRequests, lostOf } from './limiter-redis-amounts.ts'
import { limiterScript } from './limiter-redis-script.ts'
import { Recalls } from './recalls.ts'

export interface RedisLimiterOptions {
  /** Such as `redis://127.0.0.1:6379`. */
  readonly url: string
  /** Prefix of all keys. Default `{sluice}:`, which keeps them in one slot of a cluster. */
  readonly prefix?: string
  /** Timeout of a command, in milliseconds. Default 1,000. */
  readonly timeoutMs?: number
  /**
   * Behaviour while Redis is unreachable: refuse all limited calls with 503, or let each of the given number of processes
   * grant its share. Default `refuse`.
   */
  readonly whenDown?: 'refuse' | { readonly processes: number }
  /** Reads what was spent of a budget in its current window; called for budgets unknown to Redis. */
  readonly recall?: Recall
  /** Called when Redis is lost, with the reason, and when it is back. */
  readonly changed?: (isUp: boolean, reason?: unknown) => void
  /** Milliseconds since the epoch; replaces Redis' own clock. */
  readonly now?: () => number
}

const timeoutMsUsual = 1_000
/** How long an unsettled reservation is kept; a later settlement has no effect. */
const keptMs = 24 * 3_600_000
const probeMs = 250
/** How long a start waits for Redis, and how long a new connection may take before it is replaced, in milliseconds. */
const connectMs = 2_000
/** Maximum number of queued settlements. The oldest are dropped and count as fully used. */
const pendingMax = 100_000

/** Claims of one command that charges what was granted without Redis. */
const chargesAtOnce = 100

type Operation = 'reserve' | 'look' | 'settle' | 'renew' | 'seed' | 'charge'

interface Command {
  readonly op: Operation
  readonly id: string
  readonly leaseMs: number
  readonly claims: readonly Claim[]
  /** Replaces the amounts of the claims. */
  readonly amounts?: readonly number[]
  /** For a seed: when the amounts after the first were spent, in milliseconds since the epoch. */
  readonly dates?: readonly number[]
  /** For a settlement: what to charge if Redis has lost its data, including the reservation. */
  readonly lost?: readonly Claim[]
}

/** A queued settlement. */
interface Pending {
  readonly command: Command
  readonly sent: () => void
}

/** A limiter shared by all processes that use the same Redis. If Redis is unreachable, `whenDown` applies until it answers. */
export async function openRedisLimiter(options: RedisLimiterOptions): Promise<Limiter> {
  const limiter = new RedisLimiter(options)
  await limiter.connect()
  return limiter
}

class RedisLimiter implements Limiter {
  readonly #options: RedisLimiterOptions
  #client
  #connectedAt = 0
  readonly #local: LocalShare | undefined
  readonly #recalls: Recalls | undefined
  readonly #pending = new Map<string, Pending>()
  /** Charges that are being sent. */
  readonly #charges = new Map<string, Command>()
  readonly #process = randomBytes(9).toString('base64url')
  readonly #digest = createHash('sha1').update(limiterScript).digest('hex')
  #count = 0
  #isUp = false
  #isClosed = false
  #probe: NodeJS.Timeout | undefined

  constructor(options: RedisLimiterOptions) {
    this.#options = options
    const { whenDown = 'refuse', recall } = options
    this.#recalls = recall && new Recalls(recall, (claim, spent) => this.seed(claim, spent))
    this.#local = whenDown === 'refuse' ? undefined : new LocalShare(whenDown.processes)
    this.#client = this.#createClient()
  }

  /** Waits for Redis for a short time; a later connection is also found. */
  async connect(): Promise<void> {
    try {
      await within(connectMs, this.#connect())
      await this.#recover()
    } catch (error) {
      this.#options.changed?.(false, error)
      this.#probeSoon()
    }
  }

  async reserve(claims: readonly Claim[], leaseMs: number): Promise<Decision> {
    if (!this.#isUp) return this.#withoutRedis(claims, leaseMs)
    this.#count += 1
    const command: Command = { op: 'reserve', id: this.#newId(), leaseMs, claims }
    let reply: readonly string[]
    try {
      reply = await this.#run(command)
    } catch (error) {
      this.#lost(error)
      // The reservation may have been made nevertheless. Undo it, because the call is refused or counted locally.
      void this.#later({ ...command, op: 'settle', amounts: claims.map(givenBack) })
      return this.#withoutRedis(claims, leaseMs)
    }
    if (reply[0] === 'unknown') {
      await this.#recalled(claims[Number(reply[1]) - 1])
      return this.reserve(claims, leaseMs)
    }
    const levels = levelsOf(claims, reply)
    this.#local?.saw(claims, levels)
    if (reply[0] === 'granted') return { granted: true, id: command.id, claims, levels }
    const refused = Number(reply[1]) - 1
    return { granted: false, claims, levels, refused, retryAfterMs: amountOf(reply[2]) }
  }

  /** Never fails: settlements that cannot be sent now are sent later. Redis knows nothing of what was granted without it. */
  async settle(reservation: Reservation, actual: Actual): Promise<void> {
    const { id, claims } = reservation
    if (this.#local?.settle(reservation, actual) === true) return this.#chargeIfUp()
    if (claims.every(isRequests) && actual.requests === undefined) return
    const lost = lostOf(claims, actual)
    await this.#tell({
      op: 'settle',
      id,
      leaseMs: 0,
      claims,
      amounts: beyond(claims, actual),
      lost,
    })
  }

  async settleLeft(
    id: string,
    budgets: readonly { readonly claim: BudgetClaim; readonly nanoUsd: number }[],
  ): Promise<void> {
    const claims = budgets.map(({ claim }) => claim)
    const amounts = budgets.map(({ claim, nanoUsd }) => nanoUsd - claim.amount)
    await this.#run({ op: 'settle', id, leaseMs: 0, claims, amounts })
  }

  async renew({ id, claims }: Reservation, leaseMs: number): Promise<void> {
    if (this.#pending.has(id) || this.#local?.has(id) === true || !this.#isUp) return
    await this.#run({ op: 'renew', id, leaseMs, claims }).catch((error: unknown) =>
      this.#lost(error),
    )
  }

  async look(claims: readonly Claim[]): Promise<readonly Level[]> {
    const reply = await this.#run({ op: 'look', id: '', leaseMs: 0, claims }).catch(unanswered)
    if (reply[0] !== 'unknown') return levelsOf(claims, reply)
    await this.#recalled(claims[Number(reply[1]) - 1])
    return this.look(claims)
  }

  async seed(claim: BudgetClaim, spent: readonly Spent[]): Promise<void> {
    const amounts = spent.map(({ nanoUsd }) => nanoUsd)
    const claims = [claim, ...spent.map(() => claim)]
    const dates = spent.map(({ at }) => at)
    await this.#run({ op: 'seed', id: '', leaseMs: 0, claims, amounts: [0, ...amounts], dates })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#probe)
    const { timeoutMs = timeoutMsUsual } = this.#options
    // Waits for the settlements that are on their way.
    if (this.#isUp) await within(timeoutMs, this.#client.close()).catch(() => undefined)
    if (this.#client.isOpen) this.#client.destroy()
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
    return unanswered()
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
      await this.#run(command)
      this.#charges.delete(id)
    }
  }

  async #tell(command: Command): Promise<void> {
    if (!this.#isUp) return this.#later(command)
    try {
      await this.#settled(command)
    } catch (error) {
      const sent = this.#later(command)
      this.#lost(error)
      await sent
    }
  }

  /** If Redis lost its data during a call, the call's spending is charged to the budgets recalled since. */
  async #settled(command: Command): Promise<void> {
    const { id, lost = [] } = command
    const [reply] = await this.#run(command)
    if (reply !== 'forgotten' || lost.length === 0) return
    await this.#run({ op: 'charge', id, leaseMs: 0, claims: lost })
  }

  /** Resolves when it has been sent; never if it is dropped. */
  #later(command: Command): Promise<void> {
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
    this.#probeSoon()
  }

  #probeSoon(): void {
    if (this.#isClosed) return
    this.#probe = setTimeout(() => {
      this.#recover().catch(() => {
        this.#connectAnew()
        this.#probeSoon()
      })
    }, probeMs)
    this.#probe.unref()
  }

  #createClient() {
    const client = createClient({
      url: this.#options.url,
      disableOfflineQueue: true,
      socket: { reconnectStrategy: (tries) => Math.min(50 * 2 ** tries, 1_000) },
    })
    // Emitted for each failed connection; the outcome is decided by the commands.
    client.on('error', (error: unknown) => this.#lost(error))
    return client
  }

  #connect(): Promise<unknown> {
    this.#connectedAt = performance.now()
    const connecting = this.#client.connect()
    connecting.catch(() => undefined)
    return connecting
  }

  /** A connection lost without being closed would stay silent forever. */
  #connectAnew(): void {
    if (this.#isClosed || performance.now() - this.#connectedAt < connectMs) return
    if (this.#client.isOpen) this.#client.destroy()
    this.#client = this.#createClient()
    void this.#connect()
  }

  /** Sends the queued settlements before Redis is used again. */
  async #recover(): Promise<void> {
    await this.look([])
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
  }

  async #run({
    op,
    id,
    leaseMs,
    claims,
    amounts,
    dates = [],
  }: Command): Promise<readonly string[]> {
    const { prefix = '{sluice}:', now, recall, timeoutMs = timeoutMsUsual } = this.#options
    const keys = [`${prefix}call:${id}`]
    const time = now === undefined ? '' : String(now())
    const kept = op === 'reserve' && claims.every(isRequests) ? leaseMs : keptMs
    const values = [time, op, id, String(leaseMs), String(kept)]
    for (const [index, claim] of claims.entries()) {
      const own = claim.kind === 'concurrency' ? 1 : claim.amount
      const window = claim.kind === 'budget' ? String(claim.window) : ''
      const bucket = `${window}:${claim.bucket}`
      keys.push(`${prefix}${claim.kind}:${bucket}`, `${prefix}${claim.kind}-nano:${bucket}`)
      values.push(claim.kind, String(claim.limit), String(amounts?.[index] ?? own), window)
    }
    values.push(recall ? 'recall' : '', ...dates.map(String))
    return within(timeoutMs, this.#evaluate(keys, values))
  }

  async #evaluate(keys: string[], values: string[]): Promise<readonly string[]> {
    const options = { keys, arguments: values }
    try {
      return (await this.#client.evalSha(this.#digest, options)) as unknown as string[]
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error
      return (await this.#client.eval(limiterScript, options)) as unknown as string[]
    }
  }
}

function unanswered(cause?: unknown): never {
  throw new GatewayError('overloaded', 'The limits cannot be checked: Redis does not respond', {
    retryAfterMs: 1_000,
    cause,
  })
}

function levelsOf(claims: readonly Claim[], reply: readonly string[]): readonly Level[] {
  return claims.map(({ limit }, index) => ({
    limit,
    remaining: Number(reply[3 + 2 * index]),
    resetMs: amountOf(reply[4 + 2 * index]),
  }))
}

function amountOf(said: string | undefined): number {
  return said === '-1' ? Infinity : Number(said)
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const late = () => reject(new Error(`Redis did not answer within ${ms} ms`))
  // If this process itself was blocked, the answer has arrived meanwhile and is read first.
  const timer = setTimeout(() => setImmediate(late), ms)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}
