import { once } from 'node:events'
import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { GatewayError } from '@sluice/contract'
import { administer } from '@sluice/gateway/accounts/administer.ts'
import { absoluteConfigFile, type Config, changedConfig } from '../config/config.ts'
import type { Environment } from '../config/env.ts'
import { keyLengthMin, shortKeys } from '../config/key-lengths.ts'
import { removedSettings } from '../config/removed-settings.ts'
import { AbsentSettings, watchConfig } from '../config/watch.ts'
import { causeText, type Log } from '@sluice/gateway/call/log.ts'
import type { Store } from '@sluice/gateway/ports/store.ts'
import { openUsageUpkeep } from '@sluice/store/usage/upkeep.ts'
import { anchorAudit, newestEntry } from './audit-anchor.ts'
import { CommandError, reasonOf } from './command-error.ts'
import { dayOf } from './day.ts'
import { setHeapGrowth } from './heap-growth.ts'
import { openData, withData } from './open-data.ts'
import { type OpenGateway, type OpenGatewayInput, openGateway } from './open-gateway.ts'
import type { StartFacts } from './start-message.ts'
import { StoreFailures } from './store-failures.ts'
import { UpgradeNotice } from './upgrade-notice.ts'

/** Facts known only once the gateway listens. */
export type Listening = Pick<StartFacts, 'port' | 'models' | 'providers' | 'audit'>

export interface Running extends Pick<OpenGatewayInput, 'config' | 'log' | 'link' | 'workers'> {
  readonly environment: Environment
  /** Whether this process updates the usage sums and removes old records; one of several processes does. */
  readonly keepsBook: boolean
  /** Called once between opening the store and opening the gateway. */
  readonly prepare?: (store: Store) => Promise<void>
  readonly listening: (found: Listening) => void
  /** Resolves with the reason to stop. */
  readonly stopping: Promise<string>
}

/** Serves until told to stop. */
export async function runGateway(running: Running): Promise<void> {
  const { environment, config, log, link, workers } = running
  using _heapGrowth = setHeapGrowth()
  const failures = new StoreFailures(log)
  await using notice = new UpgradeNotice(config)
  await using store = await openData(config, {
    journalFolder: join(config.dataFolder, 'journal'),
    upgrading: notice.open,
    warn: (message) => log.warn({}, message),
    ...(running.keepsBook && {
      keepsTables: {
        failed: (error) =>
          log.warn(
            { error: String(error) },
            'an index or a partition could not be made: it is tried again',
          ),
      },
    }),
    ...failures.options,
  })
  await notice[Symbol.asyncDispose]()
  await withData(config, async () => running.prepare?.(store))
  // An error in one call must not end all other calls.
  process.on('unhandledRejection', (reason) =>
    log.error({ cause: causeText(GatewayError.from(reason)) }, 'unhandled rejection'),
  )
  if (config.server.warmStart) {
    const { warmStart } = await import('./warm-start/warm-start.ts')
    await warmStart({ config, log })
  }
  await using opened = await withData(config, () =>
    openGateway({
      config,
      store,
      log,
      ...(link && { link }),
      ...(workers !== undefined && { workers }),
    }),
  )
  failures.connect(opened.alerts)
  const settings = { current: config }
  await using _upkeep = running.keepsBook ? openUpkeep(store, { log, settings }) : undefined
  const port = await listen(opened, config)
  await listenForMetrics(opened, config)
  using _anchor = running.keepsBook ? anchorAudit(store, { log, alerts: opened.alerts }) : undefined
  const { builtinModels, upstreams } = opened.gateway.current.routing
  const audit = await newestEntry(store)
  running.listening({
    port,
    models: builtinModels,
    providers: [...upstreams.keys()],
    ...(audit && { audit }),
  })
  // Writes the compile cache now, in case this process is killed.
  setImmediate(flushCompileCache)
  using _watcher = watchSettings(environment, settings, { opened, log })
  const signal = await running.stopping
  log.info({ signal }, 'stopping')
  await stop(opened, config)
}

function openUpkeep(
  store: Store,
  { log, settings }: { log: Log; settings: { readonly current: Config } },
): AsyncDisposable {
  return openUsageUpkeep({
    usage: store.usage,
    keepDays: () => settings.current.usage.keepDays,
    // The setting itself is the actor, because nobody requested the removal.
    forgotten: (records, before) =>
      administer({ store, actor: 'usage.keepDays', at: Date.now() }, () => ({
        action: 'usage.forget',
        target: 'usage',
        after: { records, before: dayOf(before) },
        writes: [],
        result: undefined,
      })),
    failed: (error) => log.error({ error: String(error) }, 'usage could not be summed'),
    now: Date.now,
  })
}

export function warnOfShortKey(log: Log, key: string): void {
  log.warn({ key }, `an API key has fewer than ${keyLengthMin} characters and can be guessed`)
}

/** Returns the port, which the system chooses for 0. */
async function listen({ server }: OpenGateway, config: Config): Promise<number> {
  const { host, port } = config.server
  try {
    await server.listen({ host, port })
  } catch (cause) {
    throw new CommandError(listenFailure(cause, host, port), { cause })
  }
  const address = server.server.address()
  return typeof address === 'object' && address !== null ? address.port : port
}

async function listenForMetrics(
  { metricsServer }: OpenGateway,
  { telemetry }: Config,
): Promise<void> {
  const { listen: address } = telemetry.metrics
  if (!metricsServer || !address) return
  const { host, port } = address
  metricsServer.listen({ host, port })
  try {
    await once(metricsServer, 'listening')
  } catch (cause) {
    throw new CommandError(`telemetry.metrics.listen, ${host}:${port}, failed: ${String(cause)}`, {
      cause,
    })
  }
}

function listenFailure(cause: unknown, host: string, port: number): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} on ${host} is taken by another program: set SLUICE_PORT to a free one`
    case 'EACCES':
      return `Port ${port} needs more privileges: set SLUICE_PORT to 1024 or above`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${host} is not an address of this machine: set SLUICE_HOST to one that is`
    default:
      return `Listening on ${host}, port ${port}, failed: ${String(cause)}`
  }
}

function watchSettings(
  environment: Environment,
  settings: { current: Config },
  { opened, log }: { opened: OpenGateway; log: Log },
): Disposable {
  const file = absoluteConfigFile(environment)
  const config = settings.current
  return watchConfig(file, {
    applied: config.configText,
    async apply(text, isSettled) {
      const next = await changedConfig(environment, text)
      const short = shortKeys(next)
      const removed = removedSettings(settings.current, next)
      if (removed.length > 0 && !isSettled) return 'unsettled'
      await opened.configure(next)
      settings.current = next
      for (const key of short) warnOfShortKey(log, key)
      const waiting = atNextStart.filter((part) => !isDeepStrictEqual(config[part], next[part]))
      const fields = { file, ...(waiting.length > 0 && { waiting }) }
      if (removed.length === 0) log.info(fields, 'the settings have changed')
      else log.warn({ ...fields, removed }, 'the settings have changed, and some are gone')
    },
    failed(error) {
      const reason = reasonOf(error)
      if (error instanceof AbsentSettings)
        log.warn({ file, reason }, 'the settings are unchanged: the file is empty or missing')
      else log.error({ file, reason }, 'the settings are unchanged: the file has errors')
    },
  })
}

/** Sections that a running server cannot change. The log names them when they have changed. */
const atNextStart = ['server', 'storage', 'log', 'telemetry'] as const

/** How long calls may take to send their final error, in milliseconds. */
const finalErrorMs = 1_000

/**
 * Fails the readiness check for `drainMs`, then stops accepting requests and waits for open ones. After `stopTimeoutMs` each
 * remaining call ends with an error in its format.
 */
async function stop({ server, metricsServer }: OpenGateway, config: Config): Promise<void> {
  const { drainMs, stopTimeoutMs: stopMs } = config.server
  server.isDraining = true
  if (drainMs > 0) await wait(drainMs)
  const limits = [
    setTimeout(() => server.endCalls(), stopMs),
    setTimeout(() => server.server.closeAllConnections(), stopMs + finalErrorMs),
  ]
  await server.close()
  metricsServer?.close()
  metricsServer?.closeAllConnections()
  for (const limit of limits) clearTimeout(limit)
}
