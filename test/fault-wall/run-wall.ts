import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { UsageRecord } from '../../packages/contract/src/core/usage.ts'
import { openGateway } from '../../packages/sluice/src/cli/open-gateway.ts'
import { type Config, createConfig } from '../../packages/sluice/src/config/config.ts'
import { readEnvironment } from '../../packages/sluice/src/config/env.ts'
import type { ConfigFile } from '../../packages/sluice/src/config/schema.ts'
import type { OpenUsage, UsageBegun } from '../../packages/gateway/src/ports/store.ts'
import { openSqlite } from '../../packages/store/src/sqlite/open-sqlite.ts'
import { until } from '../support/start.ts'
import { watchLeftBehind } from './left-behind.ts'
import { closeConnections } from './post.ts'
import type { Result, Stage, Trial } from './trial.ts'
import { type FaultUpstream, openFaultUpstream } from './upstream.ts'

const key = 'sk-wall0123456789abcdef'
const atOnce = 16
/** Trials that one configuration holds. */
const perConfiguration = 400

/** What did not hold, and what callers got. */
export interface Wall {
  readonly results: ReadonlyMap<Trial, Result>
  readonly wrong: readonly string[]
}

/** Runs the trials, a few at the same time, against one gateway with a real database. */
export async function runWall(trials: readonly Trial[]): Promise<Wall> {
  const results = new Map<Trial, Result>()
  const wrong: string[] = []
  // What is loaded and connected once is there before anything is counted.
  const [first] = trials
  if (first) wrong.push(...(await runOn([first], new Map())))
  using left = watchLeftBehind(trials.length)
  wrong.push(...(await runOn(trials, results)), ...(await left.look()))
  return { results, wrong }
}

/** What did not hold; the results are added to the map. */
async function runOn(
  trials: readonly Trial[],
  results: Map<Trial, Result>,
): Promise<readonly string[]> {
  await using upstream = await openFaultUpstream()
  const { stage, errors, configure, records, stop } = await openStage(upstream)
  const wrong: string[] = []
  for (let at = 0; at < trials.length; at += perConfiguration) {
    const part = trials.slice(at, at + perConfiguration)
    await configure(merged(part.map(({ config }) => config(upstream))))
    await inParallel(part, async (trial) => results.set(trial, await trial.run(stage)))
    for (const trial of part) {
      const { records: seen = 0, wrong: sentences = [] } = results.get(trial) ?? {}
      wrong.push(...sentences.map((sentence) => `${trial.name}: ${sentence}`))
      const later = stage.recordsOf(trial).length
      if (later > seen) wrong.push(`${trial.name}: ${later - seen} more records came later`)
    }
    records.clear()
    upstream.targets.clear()
  }
  closeConnections()
  wrong.push(...(await stop()))
  await until(() => upstream.connections() === 0).catch(() =>
    wrong.push(`${upstream.connections()} connections to upstreams are left`),
  )
  return [...wrong, ...errors, ...upstream.strays.map((path) => `${path} was asked for`)]
}

/** A gateway, and what it says of itself. */
async function openStage(upstream: FaultUpstream) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-wall-'))
  const environment = readEnvironment({
    SLUICE_HOST: '127.0.0.1',
    SLUICE_PORT: '0',
    SLUICE_DATA: folder,
    SLUICE_API_KEYS: key,
  })
  const configured = (part: ConfigFile): Config =>
    createConfig(environment, { ...settings, ...part }, 'sluice.yaml')
  const sqlite = openSqlite({ file: join(folder, 'sluice.db') })
  const records = new Map<string, UsageRecord[]>()
  let recorded = 0
  const store = {
    ...sqlite,
    beginUsage(begun: UsageBegun): OpenUsage {
      const open = sqlite.beginUsage(begun)
      return {
        note: (usage) => open.note(usage),
        reservationSettled: () => open.reservationSettled(),
        end(ended) {
          recorded += 1
          const known = records.get(begun.provider)
          const record = { ...begun, ...ended }
          if (known) known.push(record)
          else records.set(begun.provider, [record])
          open.end(ended)
        },
      }
    },
  }
  const errors: string[] = []
  const nothing = () => undefined
  const error = (fields: object, message: string) =>
    void errors.push(`an error was logged: ${message} ${JSON.stringify(fields)}`)
  const log = { debug: nothing, info: nothing, warn: nothing, error }
  const opened = await openGateway({ config: configured({}), store, log, streamTimes })
  // Node's server reads it when it begins to listen: how often it looks for requests that do not arrive.
  Object.assign(opened.server.server, { connectionsCheckingInterval: 500 })
  const url = await opened.server.listen({ host: '127.0.0.1', port: 0 })
  const recordsOf = ({ id }: Pick<Trial, 'id'>) => [
    ...(records.get(`bad-${id}`) ?? []),
    ...(records.get(`good-${id}`) ?? []),
  ]
  const stage: Stage = { url, key, upstream, recordsOf }
  return {
    stage,
    errors,
    records,
    configure: (part: ConfigFile) => opened.configure(configured(part)),
    stop: async () => {
      await opened[Symbol.asyncDispose]()
      await sqlite.flush()
      const written = (await sqlite.listUsage({ limit: recorded + 1 })).length
      await sqlite[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
      return written === recorded ? [] : [`${written} of ${recorded} records were written`]
    },
  }
}

/** A sign of life would take the status from an error that comes late on a busy machine. */
const streamTimes = { keepAliveMs: 60_000, stalledMs: 60_000 }

/** Longer than any machine takes to read a request that is there. */
const requestTimeoutMs = 3_000

const settings: ConfigFile = {
  server: { requestTimeoutMs },
  defaults: {
    retries: { attempts: 2, baseMs: 1, maxMs: 5 },
    // A target is asked once or twice, and no breaker is to be open then.
    breaker: { failures: 1_000, windowMs: 1, cooldownMs: 1 },
  },
}

function merged(parts: readonly ConfigFile[]): ConfigFile {
  return {
    providers: Object.assign({}, ...parts.map(({ providers }) => providers)),
    models: Object.assign({}, ...parts.map(({ models }) => models)),
  }
}

async function inParallel<T>(
  items: readonly T[],
  run: (item: T) => Promise<unknown>,
): Promise<void> {
  let at = 0
  const worker = async () => {
    for (let item = items[at++]; item !== undefined; item = items[at++]) await run(item)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}
