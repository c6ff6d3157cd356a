import { devNull } from 'node:os'
import { join } from 'node:path'
import { createId, createKey, type KeyOptions } from '@sluice/gateway/accounts/secrets.ts'
import type { Account } from '@sluice/gateway/ports/account.ts'
import type { ApiKey } from '@sluice/gateway/ports/api-key.ts'
import type { Log } from '@sluice/gateway/call/log.ts'
import { providers } from '@sluice/gateway/providers/index.ts'
import { configuredUpstreams } from '@sluice/gateway/route/upstreams.ts'
import type { Store } from '@sluice/gateway/ports/store.ts'
import type { Database } from '@sluice/store/database.ts'
import { openStore } from '@sluice/store/store.ts'
import { type Config, createConfig } from '../../config/config.ts'
import { readEnvironment } from '../../config/env.ts'
import { openGateway } from '../open-gateway.ts'
import { openLog } from '../open-log.ts'
import { callUntil } from './callers.ts'
import { isWarmed, type WarmRequest, warmProviders, warmRequests } from './requests.ts'
import { host, openWarmUpstream } from './upstream.ts'

export interface WarmStart {
  readonly config: Config
  readonly log: Log
  /** How long it takes at most, in milliseconds. Default 500. */
  readonly ms?: number
}

/**
 * Runs the code of common calls before anybody waits for it: callers in this process call a second gateway, which is assembled as
 * the first one is and asks an upstream in this process. Its keys, limits, journal, metrics and log are thrown away. Does nothing
 * where no provider is configured, and never throws.
 */
export async function warmStart({ config, log, ms = 500 }: WarmStart): Promise<void> {
  const upstreams = configuredUpstreams(config, providers)
  if (upstreams.size === 0) return
  const protocols = new Set([...upstreams.values()].map(({ provider }) => provider.protocol.id))
  try {
    const calls = await callFor(ms, config, warmRequests(protocols))
    log.debug({ calls }, 'the warm start is over')
  } catch (error) {
    log.warn({ error: String(error) }, 'the warm start failed: the first calls take longer')
  }
}

/** Returns the number of calls. */
async function callFor(
  ms: number,
  settings: Config,
  requests: Iterator<WarmRequest, never>,
): Promise<number> {
  const endsAt = performance.now() + ms
  await using upstream = await openWarmUpstream()
  const config = warmConfig(settings, upstream.url)
  const { secret, ...holders } = createWarmKey()
  await using log = openLog(config.log)
  await using store = openWarmStore(config, holders)
  await using opened = await openGateway({ config, store, log, serves: isWarmed })
  const url = new URL(await opened.server.listen({ host, port: 0, exclusive: true }))
  // Awaited here, because all of it is closed afterwards.
  return await callUntil({ port: Number(url.port), secret, requests, endsAt })
}

function warmConfig({ dataFolder, log, telemetry }: Config, upstream: string): Config {
  const folder = join(dataFolder, 'warm-start')
  const environment = readEnvironment({ SLUICE_DATA: folder })
  const asked = Object.fromEntries(
    warmProviders.map((name) => [name, { baseUrl: upstream, key: 'warm' }]),
  )
  const content = { providers: asked, prices: { '*': { input: 1, output: 1 } } }
  return {
    ...createConfig(environment, content, join(folder, 'sluice.yaml')),
    log: { level: log.level, file: devNull },
    telemetry: { metrics: { ...telemetry.metrics } },
  }
}

/** A database that holds nothing and takes everything. */
const nowhere: Database = {
  rows: async () => [],
  change: async (...statements) => statements.map(() => 1),
  changeDurably: async (...statements) => statements.map(() => 1),
  changeTogether: async (...statements) => statements.map(() => 1),
  append: async () => {},
  async [Symbol.asyncDispose]() {},
}

interface Holders {
  readonly key: ApiKey
  readonly team: Account
}

/** Holds only this key and its team. */
function openWarmStore({ dataFolder }: Config, { key, team }: Holders): Store {
  return {
    ...openStore(nowhere, { journalFolder: dataFolder }),
    listKeys: async () => [key],
    listAccounts: async () => [team],
  }
}

/** More than a warm start uses. */
const plenty = 1e12

/** A key with limits, of a team with a budget. */
function createWarmKey(): Holders & { readonly secret: string } {
  const at = Date.now()
  const budgets = (window: 'day' | 'month') => [
    { id: createId('b_'), limitMicroUsd: plenty, window },
  ]
  const team: Account = {
    id: createId('team_'),
    kind: 'team',
    name: 'warm',
    createdAt: at,
    budgets: budgets('month'),
  }
  const options: KeyOptions = {
    name: 'warm',
    role: 'caller',
    ownerId: team.id,
    requestsPerMinute: plenty,
    tokensPerMinute: plenty,
    budgets: budgets('day'),
  }
  return { ...createKey(options, at), team }
}
