import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config/config.ts'
import type { ApiKey } from '../ports/api-key.ts'
import type { Store } from '../ports/store.ts'
import { type BuiltinEngine, createEngine, engineCard, type EngineOptions } from '@sluice/engine'
import { aiSdkEngines } from '../ai-sdk/engines.ts'
import { createRouting } from '../gateway/route/create-routing.ts'
import type { Gateway, Log } from '../gateway/gateway.ts'
import { keepChange, openBuiltInJobs } from '../gateway/kept/built-in-jobs.ts'
import { createHealth } from '../gateway/route/health.ts'
import { createModelLists } from '../gateway/route/model-lists.ts'
import type { Routing } from '../gateway/route/routing.ts'
import { configuredUpstreams } from '../gateway/route/upstreams.ts'
import { providers } from '../providers/index.ts'
import type { StreamTimes } from '../http/deliver.ts'
import { createMediaFetcher } from '../http/fetch-media.ts'
import { openSender } from '../http/send.ts'
import { createServer } from '../http/server.ts'
import { openKeyRing } from '../storage/key-ring.ts'
import { createMemoryLimiter } from '../storage/limiter-memory.ts'
import { keyOf } from '../storage/secrets.ts'
import { createIds } from './ids.ts'
import { logCall } from './log-call.ts'

/** A gateway that can listen. Disposing stops it, waits for what is under way and writes down what is left. */
export interface OpenGateway extends AsyncDisposable {
  readonly gateway: Gateway
  readonly server: FastifyInstance
  /** Takes over another configuration whole; calls under way end with the one they began with. */
  configure(config: Config): Promise<void>
}

export interface OpenGatewayInput {
  readonly config: Config
  readonly store: Store
  readonly log: Log
  /** How long streams may be quiet; default the server's. */
  readonly streamTimes?: StreamTimes
}

const fetchMediaMs = 30_000

/** Puts a gateway together. The store is the caller's and is disposed by the caller, after the gateway. */
export async function openGateway({
  config,
  store,
  log,
  streamTimes,
}: OpenGatewayInput): Promise<OpenGateway> {
  const now = Date.now
  const newId = createIds()
  const keys = await openKeyRing(store, {
    fixed: fixedKeys(config),
    readFailed: (error) => log.error({ error: String(error) }, 'the keys could not be read again'),
  })
  const sender = openSender()
  const engine = engineOver(store, { config, now, newId, log })
  const videos = await openBuiltInJobs({ engine, store, now, log })
  const needs = { send: sender.send, engine, now, newId, log }
  let current = { config, routing: await routingOf(config, needs) }

  const gateway: Gateway = {
    store,
    limiter: createMemoryLimiter(),
    keys,
    routing: () => current.routing,
    health: createHealth(now),
    send: sender.send,
    engine,
    engineContext: {
      publish: (bytes, contentType) => `/images/${engine.images.publish(bytes, contentType)}`,
      fetchMedia: async (url, options) => {
        const fetchMedia = createMediaFetcher({
          allowPrivateAddresses: current.config.server.allowPrivateMedia,
        })
        return fetchMedia(url, { ...options, timeoutMs: fetchMediaMs })
      },
    },
    videos,
    now,
    newId,
    random: Math.random,
    log,
    ended: (end) => logCall(log, end),
  }
  const server = createServer(gateway, {
    bodyBytesMax: config.server.bodyLimitBytes,
    requestTimeoutMs: config.server.requestTimeoutMs,
    requestsPerMinute: () => current.config.limits.requestsPerMinute,
    concurrentRequests: () => current.config.limits.concurrentRequests,
    ...(config.server.publicUrl !== undefined && { publicUrl: config.server.publicUrl }),
    ...(streamTimes && { streamTimes }),
  })
  return {
    gateway,
    server,
    async configure(next) {
      const routing = await routingOf(next, needs)
      keys.setFixed(fixedKeys(next))
      current = { config: next, routing }
    },
    async [Symbol.asyncDispose]() {
      await server.close()
      videos[Symbol.dispose]()
      await engine[Symbol.asyncDispose]()
      await sender[Symbol.asyncDispose]()
      await keys[Symbol.asyncDispose]()
      await gateway.limiter[Symbol.asyncDispose]()
    },
  }
}

/** The built-in engine, whose video jobs are written down in the store. */
function engineOver(
  store: Store,
  { config, ...options }: Pick<EngineOptions, 'now' | 'newId'> & { config: Config; log: Log },
): BuiltinEngine {
  return createEngine({
    ...options,
    jobFolder: join(config.dataFolder, 'videos'),
    onJobChange: (id, change) => keepChange(store, id, change),
  })
}

export interface RoutingNeeds {
  readonly send: Gateway['send']
  /** Absent where routes are only looked at. */
  readonly engine?: BuiltinEngine
  readonly now: () => number
  readonly newId: (prefix: string) => string
  readonly log: Pick<Log, 'warn'>
}

/** The names and routes of a configuration. A configured provider that is off is told to the log. */
export async function routingOf(
  config: Config,
  { send, engine, now, newId, log }: RoutingNeeds,
): Promise<Routing> {
  const upstreams = configuredUpstreams(config, providers, (id, reason) =>
    log.warn({ provider: id }, `the provider ${id} is off: ${reason}`),
  )
  const lists = createModelLists({ upstreams, send, now, newId })
  return createRouting({
    config,
    upstreams,
    engine: engine ?? engineCard,
    packages: aiSdkEngines(config),
    lists,
  })
}

/** Keys that the settings name. Their ids stay the same from start to start, as their records do. */
function fixedKeys({ apiKeys, adminKey, keys }: Config): readonly ApiKey[] {
  const fromSettings = keys.map(({ name, key, models, requestsPerMinute }) =>
    keyOf(
      key,
      `key_${name}`,
      {
        name,
        role: 'caller',
        ...(models && { models }),
        ...(requestsPerMinute !== undefined && { requestsPerMinute }),
      },
      0,
    ),
  )
  const fromEnvironment = apiKeys.map((secret, index) =>
    keyOf(
      secret,
      `key_environment_${index + 1}`,
      { name: `SLUICE_API_KEYS ${index + 1}`, role: 'caller' },
      0,
    ),
  )
  const admin =
    adminKey === undefined
      ? []
      : [keyOf(adminKey, 'key_admin', { name: 'SLUICE_ADMIN_KEY', role: 'administrator' }, 0)]
  return [...fromSettings, ...fromEnvironment, ...admin]
}
