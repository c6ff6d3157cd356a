import type { Budget, Holder } from './account.ts'

/** Something that operators want to know while it happens. */
export type Alert = BudgetAlert | ProviderAlert | ErrorRateAlert | PriceAlert | JournalAlert

/** As `alerts.webhooks[].events` of sluice.yaml names it. */
export type AlertEvent = Alert['event']

/** Of a budget 80 % (`warning`) or all (`spent`) is spent or put aside for calls under way, or it has refused a call. */
export interface BudgetAlert {
  readonly event: 'budget.warning' | 'budget.spent' | 'budget.refused'
  readonly holder: Pick<Holder, 'kind' | 'id' | 'name'>
  readonly budget: Budget
  readonly usedMicroUsd: number
  /** When a calendar window ends, in milliseconds since the epoch; undefined for the others. */
  readonly until: number | undefined
}

/** A breaker is open for all callers. */
export interface ProviderAlert {
  readonly event: 'provider.down'
  /** `provider/model` */
  readonly target: string
}

/** Of the calls of the last minutes more have failed than is allowed, and not by a mistake of their callers. */
export interface ErrorRateAlert {
  readonly event: 'errors.rate'
  readonly calls: number
  readonly failed: number
  readonly minutes: number
}

/** Nobody knows what a call has cost. */
export interface PriceAlert {
  readonly event: 'price.unknown'
  /** `provider/model` */
  readonly target: string
  readonly reason: string
}

/** The journal cannot be written, so that calls are refused; or what it holds does not come into the database. */
export interface JournalAlert {
  readonly event: 'journal.full' | 'journal.behind'
  readonly reason: string
  /** Records that wait for the database in memory, and that were lost since the start. */
  readonly waiting: number
  readonly lost: number
}

/** A message on its way to webhooks. */
export interface AlertMessage {
  /** What it is about: nothing of the same name is told before `quietUntil`. */
  readonly name: string
  /** Unique. */
  readonly id: string
  readonly body: string
  /** Milliseconds since the epoch. */
  readonly quietUntil: number
}

/** A message that one webhook has not taken yet. */
export interface AlertDelivery extends Pick<AlertMessage, 'id' | 'body'> {
  /** Which; not its address. */
  readonly webhook: string
  /** How often it was tried. */
  readonly tries: number
  /** When it may be tried, in milliseconds since the epoch. */
  readonly nextAt: number
}

/**
 * Messages that wait for their webhooks. Whatever several processes share is told by one of them, and delivered at least once:
 * packages/sluice/test/contract/store-alerts.ts holds every store to it.
 */
export interface AlertOutbox {
  /** Keeps the message for each webhook, unless its name is quiet still; of all who try at once one does, and is told so. */
  addAlert(message: AlertMessage, webhooks: readonly string[], now: number): Promise<boolean>
  /** What may be tried, the longest waiting first. */
  dueAlerts(asked: {
    readonly webhooks: readonly string[]
    readonly now: number
    readonly limit: number
  }): Promise<readonly AlertDelivery[]>
  /** Says how a delivery stands; false, and nothing is done, where it is not as it was read. */
  changeAlert(
    delivery: AlertDelivery,
    to: Pick<AlertDelivery, 'tries' | 'nextAt'>,
  ): Promise<boolean>
  /** It was taken, or is given up. */
  removeAlert(delivery: Pick<AlertDelivery, 'id' | 'webhook'>): Promise<void>
  /** Removes names that were quiet until a moment, and deliveries that should have been made before it. */
  forgetAlerts(before: number): Promise<void>
}
