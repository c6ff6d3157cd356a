import type { Budget, Holder } from './account.ts'

/** An event that operators are notified of while it happens. */
export type Alert =
  | BudgetAlert
  | ProviderAlert
  | ErrorRateAlert
  | PriceAlert
  | JournalAlert
  | AuditAlert

/** As `alerts.webhooks[].events` of sluice.yaml names it. */
export type AlertEvent = Alert['event']

/** The share of a budget at which operators are warned. */
export const budgetWarningPercent = 80

/** So much (`warning`) or all (`spent`) of a budget is spent or reserved, or the budget has refused a call. */
export interface BudgetAlert {
  readonly event: 'budget.warning' | 'budget.spent' | 'budget.refused'
  readonly holder: Pick<Holder, 'kind' | 'id' | 'name'>
  readonly budget: Budget
  readonly usedMicroUsd: number
  /** The end of a calendar window, in milliseconds since the epoch; undefined for other windows. */
  readonly until: number | undefined
}

/** A breaker is open for all callers. */
export interface ProviderAlert {
  readonly event: 'provider.down'
  /** `provider/model` */
  readonly target: string
}

/** More calls of the last minutes have failed than allowed, not counting mistakes of callers. */
export interface ErrorRateAlert {
  readonly event: 'errors.rate'
  readonly calls: number
  readonly failed: number
  readonly minutes: number
}

/** The cost of a call is unknown. */
export interface PriceAlert {
  readonly event: 'price.unknown'
  /** `provider/model` */
  readonly target: string
  readonly reason: string
}

/** The journal cannot be written, so calls are refused; or its content cannot be written to the database. */
export interface JournalAlert {
  readonly event: 'journal.full' | 'journal.behind'
  readonly reason: string
  /** Records waiting in memory for the database, and records lost since the start. */
  readonly waiting: number
  readonly lost: number
}

/** The newest entry of the audit log, for comparing the log with it later (`sluice audit verify --expect`). */
export interface AuditAlert {
  readonly event: 'audit.newest'
  readonly entries: number
  readonly hash: string
}

/** A message for webhooks. */
export interface AlertMessage {
  /** The subject: no other message with this name is sent before `quietUntil`. */
  readonly name: string
  /** Unique. */
  readonly id: string
  readonly body: string
  /** Milliseconds since the epoch. */
  readonly quietUntil: number
}

/** A message not delivered yet to one webhook. */
export interface AlertDelivery extends Pick<AlertMessage, 'id' | 'body'> {
  /** Identifies the webhook without revealing its address. */
  readonly webhook: string
  /** Number of delivery attempts. */
  readonly tries: number
  /** When it may be attempted, in milliseconds since the epoch. */
  readonly nextAt: number
}

/**
 * Messages waiting for their webhooks. Events shared by several processes are reported by one of them and delivered at least
 * once: packages/store/test/contract/store-alerts.ts tests every store for this.
 */
export interface AlertOutbox {
  /**
   * Stores the message for each webhook, unless its name is still quiet. Of several concurrent callers one succeeds, and only
   * it gets true.
   */
  addAlert(message: AlertMessage, webhooks: readonly string[], now: number): Promise<boolean>
  /** The deliveries that are due, the longest waiting first. */
  dueAlerts(asked: {
    readonly webhooks: readonly string[]
    readonly now: number
    readonly limit: number
  }): Promise<readonly AlertDelivery[]>
  /** Updates a delivery; false, without effect, if it is no longer as it was read. */
  changeAlert(
    delivery: AlertDelivery,
    to: Pick<AlertDelivery, 'tries' | 'nextAt'>,
  ): Promise<boolean>
  /** Removes a delivery that succeeded or is given up. */
  removeAlert(delivery: Pick<AlertDelivery, 'id' | 'webhook'>): Promise<void>
  /** Removes names whose quiet time ended before a moment, and deliveries due before it. */
  forgetAlerts(before: number): Promise<void>
}
