import { once } from 'node:events'
import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { GatewayError } from '@sluice/contract'
import { administer } from '../accounts/administer.ts'
import { absoluteConfigFile, type Config, changedConfig, loadConfig } from '../config/config.ts'
import { type Environment, readEnvironment, unknownVariables } from '../config/env.ts'
import { keyLengthMin, shortKeys } from '../config/key-lengths.ts'
import { readTextIfAny } from '../config/read-text.ts'
import { removedSettings } from '../config/removed-settings.ts'
import { programVersion } from '../config/version.ts'
import { AbsentSettings, watchConfig } from '../config/watch.ts'
import { causeText } from '../gateway/answer.ts'
import type { Log } from '../gateway/gateway.ts'
import type { Store } from '../ports/store.ts'
import { createInitialKeys } from '../storage/initial-keys.ts'
import { openUsageUpkeep } from '../storage/usage-upkeep.ts'
import { CommandError } from './command-error.ts'
import { importClips } from './import-clips.ts'
import { openData } from './open-data.ts'
import { type OpenGateway, openGateway } from './open-gateway.ts'
import { openLog } from './open-log.ts'
import { type StartFacts, startLine, startMessage } from './start-message.ts'
import { StoreFailures } from './store-failures.ts'

/** Runs the gateway until SIGTERM or SIGINT. Returns the exit code. */
export async function serve(): Promise<number> {
  const stopping = stopSignal()
  const environment = readEnvironment()
  const config = await loadConfig(environment)
  using log = openLog(config.log)
  for (const key of shortKeys(config)) warnOfShortKey(log, key)
  for (const text of unknownVariables(environment.variables, readTextIfAny(config.configFile)))
    log.warn({}, text)
  const failures = new StoreFailures(log)
  await using store = await openData(config, {
    journalFolder: join(config.dataFolder, 'journal'),
    warn: (message) => log.warn({}, message),
    ...failures.options,
  })
  await importClips(store, join(config.dataFolder, 'videos'), Date.now())
  const made = await createInitialKeys(store, {
    folder: config.dataFolder,
    given: givenRoles(config),
    now: Date.now(),
  })
  // One call's mistake must not end the calls of all others.
  process.on('unhandledRejection', (reason) =>
    log.error({ cause: causeText(GatewayError.from(reason)) }, 'unhandled rejection'),
  )
  await using opened = await openGateway({ config, store, log })
  failures.connect(opened.alerts)
  const settings = { current: config }
  await using _upkeep = openUsageUpkeep({
    book: store.book,
    keepDays: () => settings.current.usage.keepDays,
    forgotten: (records, before) => auditForgotten(store, { records, before }),
    failed: (error) => log.error({ error: String(error) }, 'usage could not be summed'),
    now: Date.now,
  })
  const port = await listen(opened, config)
  await listenForMetrics(opened, config)
  const { builtinModels, upstreams } = opened.gateway.routing()
  const facts: StartFacts = {
    version: programVersion(),
    host: config.server.host,
    port,
    readyMs: performance.now(),
    made,
    dataFolder: config.dataFolder,
    hasApiKeys: config.apiKeys.length > 0,
    models: builtinModels,
    providers: [...upstreams.keys()],
  }
  process.stdout.write(process.stdout.isTTY ? startMessage(facts) : startLine(facts, new Date()))
  // What was compiled is kept for the next start, however this process will end.
  setImmediate(flushCompileCache)
  using _watcher = watchSettings(environment, settings, { opened, log })
  const signal = await stopping
  log.info({ signal }, 'stopping')
  await stop(opened, config.server.stopTimeoutMs)
  return 0
}

/** Nobody asked for it but the setting, which is therefore named as who did it. */
async function auditForgotten(
  store: Store,
  { records, before }: { readonly records: number; readonly before: number },
): Promise<void> {
  const after = { records, before: new Date(before).toISOString().slice(0, 10) }
  await administer({ store, actor: 'usage.keepDays', at: Date.now() }, () => ({
    action: 'usage.forget',
    target: 'usage',
    after,
    writes: [],
    result: undefined,
  }))
}

function warnOfShortKey(log: Log, key: string): void {
  log.warn({ key }, `an API key has fewer than ${keyLengthMin} characters and can be guessed`)
}

/** The roles for which the settings name keys: none is made for them. */
function givenRoles({ adminKey, apiKeys, keys }: Config) {
  return [
    ...(adminKey === undefined ? [] : (['administrator'] as const)),
    ...(apiKeys.length + keys.length > 0 ? (['caller'] as const) : []),
  ]
}

/** Returns the port, which the system chose where 0 was asked for. */
async function listen({ server }: OpenGateway, config: Config): Promise<number> {
  const { host, port } = config.server
  try {
    await server.listen({ host, port })
  } catch (cause) {
    throw new CommandError(tellWhyNot(cause, host, port), { cause })
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

function tellWhyNot(cause: unknown, host: string, port: number): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} on ${host} is taken by another program: set SLUICE_PORT to a free one`
    case 'EACCES':
      return `Port ${port} needs more privileges: set SLUICE_PORT to 1024 or above`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${host} is no address of this machine: set SLUICE_HOST to one that is`
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
      const reason = error instanceof Error ? error.message : String(error)
      if (error instanceof AbsentSettings)
        log.warn({ file, reason }, 'the settings stay as they were: the file says nothing')
      else log.error({ file, reason }, 'the settings stay as they were: the file is wrong')
    },
  })
}

/** What a running server cannot change; the log line of a change names these parts as waiting. */
const atNextStart = ['server', 'storage', 'log', 'telemetry'] as const

/** One press of Ctrl-C may arrive twice: from the terminal and from the process that started this one. */
const sameSignalMs = 500

/** Waits for the first signal to stop; a later one ends the process without waiting for anything. */
function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let firstAt: number | undefined
    const onSignal = (signal: NodeJS.Signals) => {
      if (firstAt !== undefined && performance.now() - firstAt > sameSignalMs) process.exit(1)
      firstAt ??= performance.now()
      resolve(signal)
    }
    process.on('SIGTERM', onSignal)
    process.on('SIGINT', onSignal)
  })
}

/** How long calls that are ended may take to tell their callers so. */
const lastWordsMs = 1_000

/** Accepts nothing new and waits for what is under way; after `stopMs` each call ends with the error of its format. */
async function stop({ server, metricsServer }: OpenGateway, stopMs: number): Promise<void> {
  const limits = [
    setTimeout(() => server.endCalls(), stopMs),
    setTimeout(() => server.server.closeAllConnections(), stopMs + lastWordsMs),
  ]
  await server.close()
  metricsServer?.close()
  metricsServer?.closeAllConnections()
  for (const limit of limits) clearTimeout(limit)
}
