import type { Server } from 'node:http'
import type { Alerts } from '../alerts/alerts.ts'
import type { Config } from '../config/config.ts'
import { routeTargets } from '../config/route-targets.ts'
import type { Gateway } from '@sluice/server/gateway.ts'
import { createMetricsServer } from '@sluice/server/metrics.ts'
import { MaskingContentLog } from '../telemetry/content-log.ts'
import { RefusedCalls } from '../telemetry/refused-calls.ts'
import { providers } from '@sluice/gateway/providers/index.ts'
import {
  type OpenTelemetry,
  openTelemetry,
  type TelemetryOptions,
} from '../telemetry/open-telemetry.ts'
import type { LiveCalls } from '@sluice/gateway/observe/live-calls.ts'
import type { ProcessLink } from '@sluice/store/limits/process-link.ts'
import type { SlotQueues } from '@sluice/store/limits/slot-queues.ts'
import { measuredElsewhere } from './worker-metrics.ts'
import { type AlertNeeds, openOperatorAlerts } from './open-alerts.ts'
import { createCallLog } from './open-log.ts'

/** The parts that an open gateway offers. */
export interface OfferedParts {
  readonly alerts: Alerts
  /** Serves metrics on a separate address; not yet listening. Absent unless configured. */
  readonly metricsServer?: Server
}

/** All observers of calls: log, alerts, metrics and traces. */
export interface OpenWatching extends AsyncDisposable {
  readonly offered: OfferedParts
  /** The parts of the gateway that report to them. */
  readonly watching: Pick<Gateway, 'budgetWatch' | 'health' | 'observers' | 'metrics' | 'contents'>
  configure(config: Config): void
}

export interface WatchingNeeds extends AlertNeeds {
  readonly config: Config
  readonly live: LiveCalls
  /** Number of requests being answered. */
  readonly underWay: () => number
  readonly slotQueues: Pick<SlotQueues, 'levels'>
  /** The length of each queue of the built-in engine, by name. */
  readonly engineWaiting: () => Readonly<Record<string, number>>
  /** Link to the primary process of several workers. */
  readonly link?: ProcessLink
}

export async function openWatching(needs: WatchingNeeds): Promise<OpenWatching> {
  const { config, store, log, now, live } = needs
  let { providers: configured } = config
  const providerName = (id: string) =>
    providers.get(configured[id]?.kind ?? id)?.telemetryName ?? id
  const watching = await openMeasuring({ ...needs, providerName })
  const refused = new RefusedCalls({
    store: store.refusals,
    live,
    now,
    failed: (error) => log.warn({ error: String(error) }, 'refused calls could not be counted'),
  })
  const { observers, traces, metrics, spans } = watching
  let settings = config.contentLogging
  const contents = new MaskingContentLog({
    shelf: store.contents,
    settings: () => settings,
    now,
    ...(spans && { spans }),
    lost: (calls, reason) =>
      log.error({ calls, reason: String(reason) }, 'prompts and answers were not kept'),
  })
  const operatorAlerts = openOperatorAlerts({
    ...needs,
    breakerChanged(target, state, caller) {
      if (caller === undefined) watching.breakerChanged(target, state)
    },
  })
  const { budgetWatch, health, errors } = operatorAlerts.observers
  const callLog = createCallLog(log)
  const ofRequests = ({ alerts }: Pick<Config, 'alerts'>) =>
    alerts.webhooks.length === 0 ? [callLog, ...observers] : [callLog, errors, ...observers]
  const observed = {
    ofAttempts: observers,
    ofRequests: ofRequests(config),
    ofFailures: [refused],
    ...(traces && { traces }),
  }
  const isElsewhere = config.telemetry.metrics.listen !== undefined
  return {
    offered: {
      alerts: operatorAlerts.alerts,
      ...(metrics && isElsewhere && { metricsServer: createMetricsServer(metrics) }),
    },
    watching: {
      budgetWatch,
      health,
      observers: observed,
      contents,
      ...(metrics && !isElsewhere && { metrics }),
    },
    configure(next) {
      operatorAlerts.configure(next.alerts)
      observed.ofRequests = ofRequests(next)
      watching.configure(configuredModels(next))
      settings = next.contentLogging
      configured = next.providers
    },
    async [Symbol.asyncDispose]() {
      await refused[Symbol.asyncDispose]()
      await contents[Symbol.asyncDispose]()
      await operatorAlerts[Symbol.asyncDispose]()
      await watching[Symbol.asyncDispose]()
    },
  }
}

async function openMeasuring(
  needs: WatchingNeeds & Pick<TelemetryOptions, 'providerName'>,
): Promise<OpenTelemetry> {
  const { config, store, log, now, providerName, underWay, slotQueues, engineWaiting, link } = needs
  const watching = await openTelemetry({
    ...(link && { others: measuredElsewhere(link) }),
    config: config.telemetry,
    providerName,
    proxies: config.proxies,
    now,
    sendFailed: (error) =>
      log.warn({ error: String(error) }, 'spans could not be sent to the collector'),
    underWay: {
      requests: underWay,
      queues: () => ({
        usage_records: store.waitingUsage().records,
        ...engineWaiting(),
        ...waitingAt(slotQueues),
      }),
      upstreams: () => insideOf(slotQueues),
      journalLagMs: () => store.waitingUsage().behindMs,
    },
  })
  watching.configure(configuredModels(config))
  return watching
}

/** The queue names in metrics of the slots of all requests and those of providers and targets. */
function waitingAt(slotQueues: Pick<SlotQueues, 'levels'>): Readonly<Record<string, number>> {
  return Object.fromEntries(
    [...slotQueues.levels()].map(([name, { waiting }]) => [
      name.replace('upstream ', 'upstream:'),
      waiting,
    ]),
  )
}

/** Calls in progress where concurrency is limited. */
function insideOf(slotQueues: Pick<SlotQueues, 'levels'>): Readonly<Record<string, number>> {
  return Object.fromEntries(
    [...slotQueues.levels()].flatMap(([name, { inside }]) =>
      name.startsWith('upstream ') ? [[name.slice('upstream '.length), inside]] : [],
    ),
  )
}

/** The targets named in the settings, as `provider/model`; callers cannot add to them. */
function configuredModels({ models, providers }: Config): readonly string[] {
  const fromModels = Object.values(models).flatMap((model) => routeTargets(model).targets)
  const fromProviders = Object.entries(providers).flatMap(([provider, { models: listed = [] }]) =>
    listed.map((model) =>
      typeof model === 'string'
        ? `${provider}/${model}`
        : `${provider}/${model.upstream ?? model.id}`,
    ),
  )
  return [...fromModels, ...fromProviders]
}
