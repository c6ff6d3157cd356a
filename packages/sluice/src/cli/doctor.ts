import { accessSync, constants, existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Config, loadConfig } from '../config/config.ts'
import type { Environment } from '../config/env.ts'
import { askServer } from './ask-server.ts'
import { check } from './check.ts'
import type { JsonOption, Printed } from './command.ts'
import { reasonOf } from './command-error.ts'
import { databaseName } from './open-data.ts'
import { reachableAddress } from './start-message.ts'
import { formatTable } from './table.ts'

/** How long a server may take to answer, in milliseconds. */
const timeoutMs = 5_000

interface Finding {
  readonly state: 'ok' | 'note' | 'wrong'
  readonly what: string
  readonly detail: string
}

/** Looks at everything that a gateway with these settings needs, and changes nothing. */
export async function doctorCommand(
  environment: Environment,
  { json = false }: JsonOption,
): Promise<Printed> {
  const findings = await findingsOf(environment)
  return {
    text: json
      ? JSON.stringify({ findings }, null, 2)
      : formatTable(
          ['', 'CHECKED', 'FOUND'],
          findings.map(({ state, what, detail }) => [state, what, detail]),
        ),
    isFine: findings.every(({ state }) => state !== 'wrong'),
  }
}

async function findingsOf(environment: Environment): Promise<readonly Finding[]> {
  const node: Finding = { state: 'ok', what: 'Node', detail: process.version }
  let config: Config
  try {
    config = await loadConfig(environment)
  } catch (thrown) {
    return [node, { state: 'wrong', what: 'settings', detail: reasonOf(thrown) }]
  }
  return [
    node,
    settingsOf(config),
    folderOf(config),
    await databaseOf(config),
    ...(await redisOf(config)),
    encryptionOf(config),
    await gatewayOf(config),
    ...(await problemsOf(environment)),
  ]
}

function settingsOf({ configFile }: Config): Finding {
  return existsSync(configFile)
    ? { state: 'ok', what: 'settings', detail: configFile }
    : { state: 'note', what: 'settings', detail: `${configFile} does not exist: sluice init` }
}

function folderOf({ dataFolder }: Config): Finding {
  const what = 'data folder'
  try {
    accessSync(existsSync(dataFolder) ? dataFolder : nearestFolder(dataFolder), constants.W_OK)
    return { state: 'ok', what, detail: dataFolder }
  } catch (thrown) {
    const detail = `${dataFolder} cannot be written: ${reasonOf(thrown)}. Set SLUICE_DATA`
    return { state: 'wrong', what, detail }
  }
}

function nearestFolder(folder: string): string {
  const parent = dirname(folder)
  return existsSync(parent) || parent === folder ? parent : nearestFolder(parent)
}

async function databaseOf({ storage: { url } }: Config): Promise<Finding> {
  const what = 'database'
  if (url === undefined) return { state: 'ok', what, detail: 'SQLite in the data folder' }
  const name = databaseName(url)
  try {
    const { pingPostgres } = await import('@sluice/store/postgres/ping-postgres.ts')
    return { state: 'ok', what, detail: `${name}, version ${await pingPostgres(url, timeoutMs)}` }
  } catch (thrown) {
    return { state: 'wrong', what, detail: `${name} does not answer: ${reasonOf(thrown)}` }
  }
}

async function redisOf({ redis }: Config): Promise<readonly Finding[]> {
  if (!redis) return []
  const what = 'Redis'
  try {
    const { pingRedis } = await import('@sluice/store/limits/ping-redis.ts')
    await pingRedis(redis.url, timeoutMs)
    return [{ state: 'ok', what, detail: new URL(redis.url).host }]
  } catch (thrown) {
    return [{ state: 'wrong', what, detail: `It does not answer: ${reasonOf(thrown)}` }]
  }
}

function encryptionOf({ encryptionKeys }: Config): Finding {
  const what = 'encryption key'
  if (encryptionKeys.length > 0)
    return { state: 'ok', what, detail: `${encryptionKeys.length} set` }
  const detail = 'SLUICE_ENCRYPTION_KEY is not set: providers cannot be added while it runs'
  return { state: 'note', what, detail }
}

async function gatewayOf({ server: { host, port } }: Config): Promise<Finding> {
  const what = 'gateway'
  const address = reachableAddress(host, port)
  let answered: Awaited<ReturnType<typeof askServer>>
  try {
    answered = await askServer(`${address}/readyz`, { timeoutMs })
  } catch {
    return { state: 'note', what, detail: `None runs at ${address}` }
  }
  const { status, text } = answered
  if (status === 200 && text.includes('"ready"'))
    return text.includes('lockedProviders')
      ? { state: 'wrong', what, detail: `${address} is ready, but: ${text}` }
      : { state: 'ok', what, detail: `${address} is ready` }
  return { state: 'wrong', what, detail: `${address} is not ready, or another program: ${status}` }
}

/** What `sluice check` finds. */
async function problemsOf(environment: Environment): Promise<readonly Finding[]> {
  const { text } = await check(environment, { json: true })
  const report = JSON.parse(text) as Readonly<Record<'warnings' | 'problems', readonly string[]>>
  return [
    ...report.problems.map((detail) => ({ state: 'wrong' as const, what: 'settings', detail })),
    ...report.warnings.map((detail) => ({ state: 'note' as const, what: 'settings', detail })),
  ]
}
