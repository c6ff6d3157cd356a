import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { type Config, loadConfig } from '../config/config.ts'
import { type Environment, readEnvironment, unknownVariables } from '../config/env.ts'
import { shortKeys } from '../config/key-lengths.ts'
import { readTextIfAny } from '../config/read-text.ts'
import { programVersion } from '@sluice/gateway/settings/version.ts'
import type { Store } from '@sluice/gateway/ports/store.ts'
import { createInitialKeys, type InitialKeys } from '@sluice/store/keys/initial-keys.ts'
import { importClips } from './import-clips.ts'
import { holdData, openData, withData } from './open-data.ts'
import { type OpenLog, openLog } from './open-log.ts'
import { type Listening, runGateway, warnOfShortKey } from './run-gateway.ts'
import { type StartFacts, startLine, startMessage } from './start-message.ts'
import { stopSignal } from './stop-signal.ts'
import { UpgradeNotice } from './upgrade-notice.ts'

export interface ServeOptions {
  /** Overrides the settings. */
  readonly workers?: Config['server']['workers']
}

/** Runs the gateway until SIGTERM or SIGINT. Returns the exit code. */
export async function serve({ workers }: ServeOptions = {}): Promise<number> {
  const stopping = stopSignal()
  const environment = readEnvironment()
  const config = await loadConfig(environment)
  await using log = openLog(config.log)
  for (const key of shortKeys(config)) warnOfShortKey(log, key)
  for (const text of unknownVariables(environment.variables, readTextIfAny(config.configFile)))
    log.warn({}, text)
  using _held = holdData(config)
  const chosen = workers ?? config.server.workers
  const count = chosen === 'auto' ? availableParallelism() : chosen
  // Awaited here, because the log and the folder are held until then.
  if (count > 1) return await serveWithWorkers({ config, log, stopping, count })
  return await serveAlone({ config, log, stopping, environment })
}

interface Serving {
  readonly config: Config
  readonly log: OpenLog
  readonly stopping: Promise<NodeJS.Signals>
}

async function serveAlone(
  serving: Serving & { readonly environment: Environment },
): Promise<number> {
  const { config } = serving
  let made: InitialKeys = {}
  await runGateway({
    ...serving,
    keepsBook: true,
    async prepare(store) {
      made = await prepareStore(store, config)
    },
    listening: (found) => printStart(config, made, found),
  })
  return 0
}

/** One-time preparation happens here, before the workers open the same store. */
async function serveWithWorkers(serving: Serving & { readonly count: number }): Promise<number> {
  const { config, log } = serving
  let made: InitialKeys
  {
    await using notice = new UpgradeNotice(config)
    await using store = await openData(config, {
      upgrading: notice.open,
      warn: (message) => log.warn({}, message),
    })
    made = await withData(config, () => prepareStore(store, config))
  }
  // Node's cluster module is needed only here.
  const { superviseWorkers } = await import('./workers.ts')
  return superviseWorkers({ ...serving, listening: (found) => printStart(config, made, found) })
}

async function prepareStore(store: Store, config: Config): Promise<InitialKeys> {
  const now = Date.now()
  await importClips(store, join(config.dataFolder, 'videos'), now)
  return createInitialKeys(store, { folder: config.dataFolder, given: givenRoles(config), now })
}

function printStart(config: Config, made: InitialKeys, listening: Listening): void {
  const facts: StartFacts = {
    ...listening,
    version: programVersion(),
    host: config.server.host,
    readyMs: performance.now(),
    made,
    dataFolder: config.dataFolder,
    hasApiKeys: config.apiKeys.length > 0,
  }
  process.stdout.write(process.stdout.isTTY ? startMessage(facts) : startLine(facts, new Date()))
}

/** The roles with keys in the configuration; no initial key is created for them. */
function givenRoles({ adminKey, apiKeys, keys }: Config) {
  return [
    ...(adminKey === undefined ? [] : (['administrator'] as const)),
    ...(apiKeys.length + keys.length > 0 ? (['caller'] as const) : []),
  ]
}
