import type { Alert, BudgetAlert } from '@sluice/gateway/ports/alert.ts'

/** The content of an alert, and how often it is sent. */
export interface Notice {
  /** The subject. */
  readonly name: string
  /** No other message with this name is sent before, in milliseconds since the epoch. */
  readonly quietUntil: number
  /** Whether it concerns only this process and its disk; the database may be unavailable, and other processes send their own. */
  readonly isOwn: boolean
  readonly data: object
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
/** How long a continuing or recurring event is not reported again. */
const quietMs = {
  'provider.down': 15 * minuteMs,
  'errors.rate': 15 * minuteMs,
  'price.unknown': dayMs,
  'journal.full': hourMs,
  'journal.behind': hourMs,
  // Less than the hour after which it is sent again.
  'audit.newest': 55 * minuteMs,
} as const

export function noticeOf(alert: Alert, now: number): Notice {
  if ('budget' in alert) return budgetNotice(alert, now)
  const { event, ...data } = alert
  return {
    name: 'target' in alert ? `${event}:${alert.target}` : event,
    quietUntil: now + quietMs[event],
    isOwn: event === 'journal.full' || event === 'journal.behind',
    data,
  }
}

/**
 * Once per calendar window, and once in N hours for a rolling window of N hours; a changed limit counts anew. The window is
 * named by the full hour at which it ends, so that slightly different clocks agree.
 */
function budgetNotice(
  { event, holder, budget, usedMicroUsd, until }: BudgetAlert,
  now: number,
): Notice {
  const { id, window, limitMicroUsd } = budget
  const end = until === undefined ? '' : Math.round(until / hourMs)
  return {
    name: `${event}:${holder.id}:${id}:${window}:${limitMicroUsd}:${end}`,
    quietUntil: quietUntilOf(window, { until, now }),
    isOwn: false,
    data: {
      holder: { kind: holder.kind, id: holder.id, name: holder.name },
      budget,
      usedMicroUsd,
      percent:
        limitMicroUsd === 0 ? 100 : Math.floor((100 * usedMicroUsd) / Math.max(1, limitMicroUsd)),
      until: until === undefined ? null : new Date(until).toISOString(),
    },
  }
}

function quietUntilOf(
  window: BudgetAlert['budget']['window'],
  { until, now }: { readonly until: number | undefined; readonly now: number },
): number {
  if (typeof window === 'number') return now + window * hourMs
  // A process whose clock is behind may still see the window that has ended.
  return until === undefined ? Number.MAX_SAFE_INTEGER : until + dayMs
}
