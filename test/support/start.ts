import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openGateway } from '../../packages/sluice/src/cli/open-gateway.ts'
import { StoreFailures } from '../../packages/sluice/src/cli/store-failures.ts'
import { type Config, createConfig } from '../../packages/sluice/src/config/config.ts'
import { readEnvironment } from '../../packages/sluice/src/config/env.ts'
import type { ConfigFile } from '../../packages/sluice/src/config/schema.ts'
import type { Log } from '../../packages/gateway/src/call/log.ts'
import type { Gateway } from '../../packages/server/src/gateway.ts'
import type { StreamTimes } from '../../packages/server/src/deliver.ts'
import type { Store } from '../../packages/gateway/src/ports/store.ts'
import { openSqlite } from '../../packages/store/src/sqlite/open-sqlite.ts'
import type { StoreOptions } from '../../packages/store/src/store.ts'
import { putMigrated } from './servers/migrated-file.ts'

export const testKey = 'sk-test0123456789abcdef'
export const adminKey = 'sk-admin0123456789abcdef'

/** A line that the gateway logged. */
export interface LogLine {
  readonly level: keyof Log
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

export interface Started extends AsyncDisposable {
  readonly url: string
  readonly gateway: Gateway
  readonly logged: readonly LogLine[]
  readonly dataFolder: string
  configure(content: ConfigFile): Promise<void>
  /** Starts serving metrics at the address in the settings; returns it. */
  listenForMetrics(): Promise<string>
  /** Ends the open calls, as a shutdown does after its waiting time. */
  endCalls(): void
  /** Sends a request with the test key. */
  request(path: string, options?: RequestOptions): Promise<Response>
  post(path: string, body: unknown, options?: RequestOptions): Promise<Response>
}

export interface RequestOptions {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string | Uint8Array | FormData
  readonly signal?: AbortSignal
  /** Default: the test key; null sends none. */
  readonly key?: string | null
}

export interface StartOptions {
  /** Kept if given; otherwise a temporary folder that is removed with the gateway. */
  readonly dataFolder?: string
  readonly variables?: Readonly<Record<string, string>>
  readonly streamTimes?: StreamTimes
  /** The file that administrators change; not read at the start. Default: a file that does not exist. */
  readonly configFile?: string
  /** Disposed with the gateway. Default: PostgreSQL at `databaseUrl`, or else SQLite in the data folder. */
  readonly store?: Store
  readonly databaseUrl?: string | undefined
  /** Waits between the tries of a webhook. Default: 50 ms, four times. */
  readonly alertWaitsMs?: readonly number[]
  /** How often Node checks for requests that do not arrive, in milliseconds; default: Node's own, 30 seconds. */
  readonly lookForSlowRequestsMs?: number
}

/** Avoids warnings that are irrelevant to the tests: the tests' upstreams have no prices of their own. */
const prices: NonNullable<ConfigFile['prices']> = {
  '*': {
    input: 0,
    output: 0,
    audioInput: 0,
    audioOutput: 0,
    characters: 0,
    audioSeconds: 0,
    videoSeconds: 0,
    images: 0,
    searchUnits: 0,
    requests: 0,
  },
}

/** A real gateway on a loopback port with a real database. `content` is the content of sluice.yaml. */
export async function start(
  content: ConfigFile = {},
  {
    dataFolder,
    variables = {},
    streamTimes,
    alertWaitsMs = [50, 50, 50, 50],
    lookForSlowRequestsMs,
    configFile,
    ...given
  }: StartOptions = {},
): Promise<Started> {
  const folder = dataFolder ?? mkdtempSync(join(tmpdir(), 'sluice-test-'))
  const environment = readEnvironment({
    SLUICE_HOST: '127.0.0.1',
    SLUICE_PORT: '0',
    SLUICE_DATA: folder,
    SLUICE_API_KEYS: testKey,
    SLUICE_ADMIN_KEY: adminKey,
    ...variables,
  })
  const configOf = (file: ConfigFile): Config =>
    createConfig(environment, { prices, ...file }, configFile ?? join(folder, 'sluice.yaml'))
  const { log, logged } = recorder()
  const failures = new StoreFailures(log)
  const kept = { journalFolder: join(folder, 'journal'), ...failures.options }
  const store = given.store ?? (await openStoreAt(folder, given.databaseUrl, kept))
  const opened = await openGateway({
    config: configOf(content),
    store,
    log,
    alertWaitsMs,
    ...(streamTimes && { streamTimes }),
  })
  failures.connect(opened.alerts)
  if (lookForSlowRequestsMs !== undefined)
    // An option of Node's server (`connectionsCheckingInterval`) that it reads when it starts to listen.
    Object.assign(opened.server.server, { connectionsCheckingInterval: lookForSlowRequestsMs })
  const url = await opened.server.listen({ host: '127.0.0.1', port: 0 })

  function request(path: string, options: RequestOptions = {}): Promise<Response> {
    const { key = testKey, headers, signal, ...rest } = options
    const limit = answerLimit(`${options.method ?? 'GET'} ${path}`)
    return fetch(url + path, {
      ...rest,
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
      headers: { ...(key !== null && { authorization: `Bearer ${key}` }), ...headers },
    } as RequestInit)
  }

  return {
    url,
    gateway: opened.gateway,
    logged,
    dataFolder: folder,
    configure: (file) => opened.configure(configOf(file)),
    async listenForMetrics() {
      const { metricsServer } = opened
      if (!metricsServer) throw new Error('The settings have no address for metrics')
      metricsServer.listen(0, '127.0.0.1')
      await once(metricsServer, 'listening')
      return `http://127.0.0.1:${(metricsServer.address() as AddressInfo).port}`
    },
    endCalls: () => opened.server.endCalls(),
    request,
    post: (path, body, options = {}) =>
      request(path, {
        method: 'POST',
        ...options,
        headers: { 'content-type': 'application/json', ...options.headers },
        body: JSON.stringify(body),
      }),
    async [Symbol.asyncDispose]() {
      opened.metricsServer?.close()
      opened.metricsServer?.closeAllConnections()
      await opened[Symbol.asyncDispose]()
      await store[Symbol.asyncDispose]()
      if (dataFolder === undefined) rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function openStoreAt(
  folder: string,
  url: string | undefined,
  options: StoreOptions,
): Promise<Store> {
  if (url === undefined) {
    const file = join(folder, 'sluice.db')
    putMigrated(file)
    return openSqlite({ file, ...options })
  }
  // Loaded only when needed, as in the program.
  const { openPostgres } = await import('../../packages/store/src/postgres/open-postgres.ts')
  return openPostgres({ url, ...options })
}

/** Reports which call is stuck, a little before the test is stopped at 30 seconds without a message about it. */
function answerLimit(call: string): AbortSignal {
  const controller = new AbortController()
  const late = () => controller.abort(new Error(`${call}: no whole answer within 25 seconds`))
  setTimeout(late, 25_000).unref()
  return controller.signal
}

function recorder(): { log: Log; logged: LogLine[] } {
  const logged: LogLine[] = []
  const at = (level: LogLine['level']) => (fields: object, message: string) => {
    // As a line of JSON shows them.
    const shown = Object.entries(fields).filter(([, value]) => value !== undefined)
    logged.push({ level, message, fields: Object.fromEntries(shown) })
  }
  return {
    logged,
    log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') },
  }
}

/** Waits until a condition holds, checking every few milliseconds. */
export async function until<T>(
  look: () => T | undefined | false | Promise<T | undefined | false>,
  ms = 20_000,
): Promise<T> {
  const end = Date.now() + ms
  for (;;) {
    const seen = await look()
    if (seen !== undefined && seen !== false) return seen
    if (Date.now() > end) throw new Error(`Nothing came within ${ms} ms`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
