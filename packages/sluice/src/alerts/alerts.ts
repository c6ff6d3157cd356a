import { hash, randomBytes } from 'node:crypto'
import type {
  Alert,
  AlertDelivery,
  AlertEvent,
  AlertMessage,
  AlertOutbox,
} from '@sluice/gateway/ports/alert.ts'
import { createMemoryOutbox } from './memory-outbox.ts'
import { noticeOf } from './notice.ts'
import { signedHeaders } from './sign.ts'

export interface Webhook {
  readonly url: string
  /** `whsec_` and base64. */
  readonly secret: string
  /** Absent means all events but `audit.newest`, which is sent every hour. */
  readonly events?: readonly AlertEvent[]
}

/** Sends a message and returns the response status; rejects if no response arrives in time. */
export type PostWebhook = (
  url: string,
  message: {
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
    readonly signal: AbortSignal
  },
) => Promise<number>

export interface AlertOptions {
  /** The outbox shared by all processes. */
  readonly outbox: AlertOutbox
  readonly post: PostWebhook
  readonly now: () => number
  /** Called for failed deliveries: the host, the number of attempts, the reason, and whether it is given up. */
  readonly failed: (failure: DeliveryFailure) => void
  /** Delays between attempts in milliseconds; there is one attempt more than delays. Default `usualWaitsMs`. */
  readonly waitsMs?: readonly number[]
}

export interface DeliveryFailure {
  readonly host: string
  readonly tries: number
  readonly reason: string
  readonly isGivenUp: boolean
}

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
/** Ten retries over about half a day. */
const usualWaitsMs = [
  second,
  5 * second,
  30 * second,
  2 * minute,
  10 * minute,
  30 * minute,
  hour,
  2 * hour,
  4 * hour,
  6 * hour,
]
/** Random share added to each delay, so that a receiver that comes back is not hit by all at once. */
const jitter = 0.1
/** Maximum duration of an attempt including storing its result, before another process takes it over. */
const takenMs = minute
/** How often deliveries left by other processes are looked for. */
const pollMs = 10 * second
const againMs = second
/** Events not stored in the outbox yet, as while the database is unavailable; beyond this number the newest are dropped. */
const raisedMax = 1_000
/** Names known to be quiet, so that the outbox need not be asked. */
const quietMax = 10_000
const deliveriesAtOnce = 50
const forgetEveryMs = hour
/** Maximum time for which a message is tried. */
const keptMs = 7 * 24 * hour

export function openAlerts(options: AlertOptions): Alerts {
  return new Alerts(options)
}

interface Raised {
  readonly outbox: AlertOutbox
  readonly message: AlertMessage
  readonly webhooks: readonly string[]
}

/**
 * Notifies operators of events, once each, and off every request's path. What is undelivered when it is disposed waits in the
 * outbox.
 */
export class Alerts implements AsyncDisposable {
  readonly #options: Required<AlertOptions>
  readonly #own = createMemoryOutbox()
  readonly #quiet = new Map<string, number>()
  #webhooks: ReadonlyMap<string, Webhook> = new Map()
  #raised: Raised[] = []
  #timer: NodeJS.Timeout | undefined
  #working: Promise<void> | undefined
  /** Set if another pass was requested while one was running. */
  #isWanted = false
  /** Webhooks with a delivery in progress; one that hangs does not delay the others. */
  readonly #busy = new Map<string, Promise<void>>()
  #forgottenAt = 0
  readonly #closing = new AbortController()

  constructor(options: AlertOptions) {
    this.#options = { waitsMs: usualWaitsMs, ...options }
  }

  /** Replaces the webhooks. */
  configure(webhooks: readonly Webhook[]): void {
    this.#webhooks = new Map(webhooks.map((webhook) => [identityOf(webhook), webhook]))
    if (webhooks.length > 0) this.#soon(0)
  }

  /** Whether any webhook wants this event. */
  wants(event: AlertEvent): boolean {
    for (const webhook of this.#webhooks.values()) if (isFor(webhook, event)) return true
    return false
  }

  /** Does not block. */
  raise(alert: Alert): void {
    if (!this.wants(alert.event) || this.#raised.length >= raisedMax) return
    const now = this.#options.now()
    const { name, quietUntil, isOwn, data } = noticeOf(alert, now)
    if ((this.#quiet.get(name) ?? 0) > now) return
    this.#setQuiet(name, quietUntil)
    const body = { type: alert.event, timestamp: new Date(now).toISOString(), data }
    const id = `msg_${randomBytes(18).toString('base64url')}`
    const wanting = [...this.#webhooks].filter(([, webhook]) => isFor(webhook, alert.event))
    this.#raised.push({
      outbox: isOwn ? this.#own : this.#options.outbox,
      message: { name, id, body: JSON.stringify(body), quietUntil },
      webhooks: wanting.map(([identity]) => identity),
    })
    this.#soon(0)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort()
    clearTimeout(this.#timer)
    await this.#working
    await Promise.all(this.#busy.values())
    // If the database is unavailable too, there is nobody to tell.
    await this.#add().catch(() => undefined)
  }

  #setQuiet(name: string, until: number): void {
    const [oldest] = this.#quiet.size < quietMax ? [] : this.#quiet.keys()
    if (oldest !== undefined) this.#quiet.delete(oldest)
    this.#quiet.set(name, until)
  }

  #soon(ms: number): void {
    this.#isWanted ||= this.#working !== undefined && ms === 0
    if (this.#closing.signal.aborted || this.#working) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#working = this.#work()
        .catch(() => againMs)
        .then((nextMs) => {
          this.#working = undefined
          const isWanted = this.#isWanted
          this.#isWanted = false
          // A timer may fire slightly early, and nothing would be due.
          if (nextMs !== undefined) this.#soon(isWanted ? 0 : nextMs + 1)
        })
    }, ms).unref()
  }

  /** Returns when to check again, in milliseconds; undefined if there are no webhooks. */
  async #work(): Promise<number | undefined> {
    const { outbox, now } = this.#options
    // Even if the database is unavailable, messages about this process are sent.
    const added = await this.#add().then(
      () => true,
      () => false,
    )
    if (this.#closing.signal.aborted) return undefined
    const ownMs = await this.#deliver(this.#own)
    if (this.#webhooks.size === 0) return undefined
    if (!added) return againMs
    if (now() - this.#forgottenAt > forgetEveryMs) {
      this.#forgottenAt = now()
      for (const one of [outbox, this.#own]) await one.forgetAlerts(now() - keptMs)
    }
    const sharedMs = await this.#deliver(outbox)
    return this.#raised.length > 0 ? 0 : Math.min(ownMs, sharedMs)
  }

  async #add(): Promise<void> {
    const raised = this.#raised
    this.#raised = []
    let failure: unknown
    for (const one of raised)
      try {
        await one.outbox.addAlert(one.message, one.webhooks, this.#options.now())
      } catch (error) {
        failure = error
        this.#raised.push(one)
      }
    if (failure !== undefined) throw failure
  }

  /** Starts the deliveries that are due; returns how long until the next may be due. */
  async #deliver(outbox: AlertOutbox): Promise<number> {
    const now = this.#options.now()
    const nameOf = (webhook: string) => (outbox === this.#own ? `own ${webhook}` : webhook)
    const webhooks = [...this.#webhooks.keys()].filter((one) => !this.#busy.has(nameOf(one)))
    const waiting = await outbox.dueAlerts({
      webhooks,
      now: now + pollMs,
      limit: deliveriesAtOnce,
    })
    for (const webhook of webhooks) {
      const due = waiting.filter((one) => one.webhook === webhook && one.nextAt <= now)
      if (due.length > 0) this.#start(nameOf(webhook), outbox, due)
    }
    return Math.min(pollMs, ...waiting.flatMap(({ nextAt }) => (nextAt > now ? nextAt - now : [])))
  }

  /** Starts deliveries to a webhook, and checks again once all of them were tried. */
  #start(name: string, outbox: AlertOutbox, due: readonly AlertDelivery[]): void {
    const delivery = Promise.all(due.map((one) => this.#try(outbox, one))).then(
      () => 0,
      () => againMs,
    )
    this.#busy.set(
      name,
      delivery.then((ms) => {
        this.#busy.delete(name)
        this.#soon(ms)
      }),
    )
  }

  /** If it fails, the outbox knows when to retry. */
  async #try(outbox: AlertOutbox, delivery: AlertDelivery): Promise<void> {
    const webhook = this.#webhooks.get(delivery.webhook)
    const { now, post, failed, waitsMs } = this.#options
    const { signal } = this.#closing
    if (!webhook || signal.aborted) return
    const taken = { ...delivery, tries: delivery.tries + 1, nextAt: now() + takenMs }
    if (!(await outbox.changeAlert(delivery, taken))) return
    const { id, body } = delivery
    const timestamp = Math.floor(now() / 1_000)
    const headers = signedHeaders(webhook.secret, { id, timestamp, body })
    const reason = await post(webhook.url, { headers, body, signal }).then(
      (status) => (status >= 200 && status < 300 ? undefined : `status ${status}`),
      (error: unknown) => codeOf(error),
    )
    if (reason !== undefined && signal.aborted) {
      // The stop interrupted it; the next process tries at once and has as many attempts left.
      await outbox.changeAlert(taken, { tries: delivery.tries, nextAt: now() })
      return
    }
    const waitMs = waitsMs[delivery.tries]
    if (reason === undefined || waitMs === undefined) await outbox.removeAlert(delivery)
    if (reason === undefined) return
    const { host } = new URL(webhook.url)
    failed({ host, tries: taken.tries, reason, isGivenUp: waitMs === undefined })
    if (waitMs === undefined) return
    const nextMs = Math.round(waitMs * (1 + jitter * Math.random()))
    await outbox.changeAlert(taken, { tries: taken.tries, nextAt: now() + nextMs })
  }
}

function isFor({ events }: Webhook, event: AlertEvent): boolean {
  return events === undefined ? event !== 'audit.newest' : events.includes(event)
}

/** Webhook addresses may contain secrets, so the database holds only a hash of them. */
function identityOf({ url }: Webhook): string {
  return hash('sha256', url, 'base64url').slice(0, 22)
}

/** Never a library's message, which may quote the address. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no answer'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
