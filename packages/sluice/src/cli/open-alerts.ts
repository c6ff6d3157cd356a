import { type Alerts, type DeliveryFailure, openAlerts } from '../alerts/alerts.ts'
import { BudgetWatch } from '../alerts/budget-watch.ts'
import { ErrorRate } from '../alerts/error-rate.ts'
import type { Alerting } from '../config/alerts.ts'
import type { CallEnd } from '@sluice/gateway/call/call.ts'
import type { CallObserver } from '@sluice/gateway/observe/observers.ts'
import type { Log } from '@sluice/gateway/call/log.ts'
import type { Gateway } from '@sluice/server/gateway.ts'
import type { BreakerState } from '@sluice/gateway/route/breaker.ts'
import { type BreakerListener, createHealth } from '@sluice/gateway/route/health.ts'
import type { Network } from '@sluice/gateway/dial/network.ts'
import { createWebhookPoster } from '../alerts/post-webhook.ts'
import type { Store } from '@sluice/gateway/ports/store.ts'
import { shownMax } from './open-log.ts'

/** The operator alerts of a gateway. */
export interface OpenAlerts extends AsyncDisposable {
  readonly alerts: Alerts
  /** The parts of the gateway that raise alerts. */
  readonly observers: Pick<Gateway, 'budgetWatch' | 'health'> & {
    /** Counts failures for the alert about them; needs to be told only while there are webhooks. */
    readonly errors: CallObserver
  }
  configure(settings: Alerting): void
}

export interface AlertNeeds {
  readonly config: { readonly alerts: Alerting }
  readonly store: Store
  readonly limiter: Pick<Gateway['limiter'], 'look'>
  readonly network: Network
  readonly now: () => number
  readonly log: Log
  /** Called on breaker changes, in addition to log and alerts. */
  readonly breakerChanged?: BreakerListener
  /** Delays between delivery attempts; default the usual ones. */
  readonly alertWaitsMs?: readonly number[]
}

export function openOperatorAlerts(needs: AlertNeeds): OpenAlerts {
  const { config, store, limiter, now, log, alertWaitsMs, breakerChanged } = needs
  let settings = config.alerts
  const alerts = openAlerts({
    outbox: store,
    post: createWebhookPoster(needs.network),
    now,
    failed: (failure) => logFailure(log, failure),
    ...(alertWaitsMs && { waitsMs: alertWaitsMs }),
  })
  alerts.configure(settings.webhooks)
  const observeBreaker = breakerReporter(log, alerts)
  const budgetWatch = new BudgetWatch({
    limiter,
    raise: (alert) => alerts.raise(alert),
    isWanted: () => settings.webhooks.length > 0,
    now,
  })
  const rate = new ErrorRate(() => settings.errorRate, now)
  return {
    alerts,
    observers: {
      budgetWatch,
      health: createHealth(now, (target, state, caller) => {
        observeBreaker(target, state, caller)
        breakerChanged?.(target, state, caller)
      }),
      errors: {
        ended(end) {
          if (!end.call) return
          const found = rate.count(hasFailed(end))
          const { minutes } = settings.errorRate
          if (found) alerts.raise({ event: 'errors.rate', ...found, minutes })
        },
      },
    },
    configure(next) {
      settings = next
      alerts.configure(next.webhooks)
    },
    async [Symbol.asyncDispose]() {
      budgetWatch[Symbol.dispose]()
      await alerts[Symbol.asyncDispose]()
    },
  }
}

/** Failures that are neither the caller's mistake nor a disconnect. */
function hasFailed({ status, disconnected, call }: CallEnd): boolean {
  const failure = call?.trail.failure
  return (status >= 500 && !disconnected) || (failure !== undefined && failure.blame !== 'caller')
}

function logFailure(log: Log, { isGivenUp, ...failure }: DeliveryFailure): void {
  if (isGivenUp) log.error(failure, 'a webhook was not delivered and is given up')
  else log.warn(failure, 'a webhook was not delivered: it is tried again')
}

const breakerMessages: Readonly<Record<BreakerState, string>> = {
  open: 'a breaker opened: the target is tried last until it has answered again',
  'half-open': 'a breaker is half open: one request tries the target',
  closed: 'a breaker closed: the target answers again',
}

/**
 * Logs one line per change, with the key if the breaker applies to one key only. Operators are alerted if it opens for all.
 * The model in the target is chosen by the caller, so it is cut.
 */
function breakerReporter(log: Log, alerts: Pick<Alerts, 'raise'>): BreakerListener {
  return (target, state, caller) => {
    const shown = target.slice(0, shownMax)
    log.warn(
      { target: shown, state, ...(caller !== undefined && { key: caller }) },
      breakerMessages[state],
    )
    if (state === 'open' && caller === undefined)
      alerts.raise({ event: 'provider.down', target: shown })
  }
}
