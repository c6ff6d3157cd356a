import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { stringify } from 'yaml'
import type { UsageRecord } from '../../packages/contract/src/core/usage.ts'
import { openData } from '../../packages/sluice/src/cli/open-data.ts'
import { query } from '../../packages/store/test/postgres/postgres-server.ts'
import { childrenOf } from './child-processes.ts'
import { startGateway } from './gateway-process.ts'
import { askOn, configuration, openUpstream, type SeenCall, type Upstream } from './ledger-load.ts'

export interface LedgerProof {
  readonly kills: number
  /** Calls of which the clients have seen an answer, and those whose end they have seen. */
  readonly seen: number
  readonly ended: number
  readonly records: number
  readonly unsettled: number
  /** How many of the completed attempts were of each operation. */
  readonly operations: Readonly<Record<string, number>>
  /** What does not agree; empty when the ledger is right. */
  readonly wrong: readonly string[]
}

export interface LedgerProofOptions {
  readonly rounds: number
  /** PostgreSQL; default SQLite. */
  readonly databaseUrl?: string
  readonly clients?: number
  /** Processes that serve callers. In every other round one of them is killed before the primary process. Default 1, the primary. */
  readonly workers?: number
}

const callsPerRound = 60
const callsAfterWorker = 30

/**
 * Kills the gateway with SIGKILL under load, again and again, and compares what its clients have seen with what is in
 * the ledger in the end.
 */
export async function proveLedger({
  rounds,
  databaseUrl,
  clients = 24,
  workers = 1,
}: LedgerProofOptions): Promise<LedgerProof> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-prove-'))
  await using schema = databaseUrl === undefined ? undefined : await newSchema(databaseUrl)
  await using upstream = await openUpstream()
  writeFileSync(join(folder, 'sluice.yaml'), stringify(configuration(upstream)))
  const calls: SeenCall[] = []
  const said: string[] = []
  const environment = {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    SLUICE_PORT: '0',
    SLUICE_DATA: folder,
    SLUICE_API_KEYS: 'key',
    SLUICE_LOG_LEVEL: 'error',
    ...(workers > 1 && { SLUICE_WORKERS: String(workers) }),
    SLUICE_CONFIG: join(folder, 'sluice.yaml'),
    ...(schema && { DATABASE_URL: schema.url }),
  }
  try {
    for (let round = 0; round < rounds; round += 1) {
      const { child, url, complaints } = await startGateway(environment)
      const stopping = new AbortController()
      const asking = Array.from({ length: clients }, (_, worker) =>
        askOn(url, worker + round, { signal: stopping.signal, seen: (call) => calls.push(call) }),
      )
      // In the middle of it, at another moment each time.
      const enough = calls.length + callsPerRound + (round % 7) * 5
      while (calls.length < enough) await pause(1 + (round % 5))
      const served = childrenOf(child.pid ?? 0)
      if (workers > 1 && served.length !== workers)
        throw new Error(`There are ${served.length} workers`)
      if (workers > 1 && round % 2 === 1) await killOne(served, calls)
      child.kill('SIGKILL')
      stopping.abort()
      await once(child, 'close')
      await Promise.all(asking)
      said.push(...complaints().split('\n').filter(isComplaint))
    }
    // The last one finds what the others left, and stops in order.
    const last = await startGateway(environment)
    await pause(1_000)
    last.child.kill('SIGTERM')
    await once(last.child, 'close')
    await using store = await openData({
      dataFolder: folder,
      storage: { url: schema?.url },
    } as Parameters<typeof openData>[0])
    const records = await store.listUsage({ limit: 1_000_000 })
    return {
      kills: rounds,
      ...compare(calls, records),
      wrong: [
        ...disagreements(calls, records),
        ...otherCosts(upstream, records),
        ...leftFiles(folder),
        ...said,
      ],
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The first start of a checkout makes the bundle. */
function isComplaint(line: string): boolean {
  return line !== '' && !line.startsWith('sluice: bundling')
}

/** Kills a worker, and lets the others go on for a while. */
async function killOne([worker]: readonly number[], calls: readonly SeenCall[]) {
  if (worker !== undefined) process.kill(worker, 'SIGKILL')
  const enough = calls.length + callsAfterWorker
  while (calls.length < enough) await pause(5)
}

/** What is in the database already is none of this load's. */
async function newSchema(databaseUrl: string) {
  const name = `ledger_${process.pid}_${Date.now()}`
  await query(databaseUrl, `CREATE SCHEMA ${name}`)
  const url = new URL(databaseUrl)
  url.searchParams.set('options', `-c search_path=${name}`)
  return {
    url: url.href,
    [Symbol.asyncDispose]: () => query(databaseUrl, `DROP SCHEMA ${name} CASCADE`),
  }
}

function compare(calls: readonly SeenCall[], records: readonly UsageRecord[]) {
  return {
    seen: calls.length,
    ended: calls.filter(({ tokens, units }) => (tokens ?? units) !== undefined).length,
    records: records.length,
    unsettled: records.filter(({ unsettled }) => unsettled === true).length,
    operations: Object.fromEntries(
      [...Map.groupBy(records, ({ operation }) => operation)].map(([operation, all]) => [
        operation,
        all.filter(({ outcome }) => outcome === 'completed').length,
      ]),
    ),
  }
}

function disagreements(
  calls: readonly SeenCall[],
  records: readonly UsageRecord[],
): readonly string[] {
  const wrong: string[] = []
  const byCall = new Map<string, UsageRecord[]>()
  for (const record of records)
    byCall.set(record.callId, [...(byCall.get(record.callId) ?? []), record])
  for (const [id, all] of byCall)
    if (new Set(all.map(({ attempt }) => attempt)).size < all.length)
      wrong.push(`${id} has an attempt twice`)
  for (const call of calls) {
    const why = disagreement(call, byCall.get(call.id) ?? [])
    if (why !== undefined) wrong.push(`${call.id} ${why}`)
  }
  return wrong
}

/** What a client has seen is in one of the attempts of its call, or in as many as the answer was put together of. */
function disagreement(
  { tokens, units, pieces, parts }: SeenCall,
  records: readonly UsageRecord[],
): string | undefined {
  if (records.length < parts)
    return `was answered, and ${records.length} attempts are in the ledger`
  if (units !== undefined) {
    const isThere = records.some((record) => record.unsettled === true || unitsOf(record) === units)
    return isThere ? undefined : `has used ${units} and ${records.map(unitsOf)} are written down`
  }
  if (tokens === undefined) return undefined
  const open = records.filter(({ unsettled }) => unsettled === true)
  const ended = records.filter(({ outcome }) => outcome === 'completed')
  const last = ended.toSorted((one, other) => other.attempt - one.attempt).slice(0, parts)
  const used = last.reduce((sum, { outputTokens }) => sum + outputTokens, 0)
  if (used === tokens || ended.some(({ outputTokens }) => outputTokens === tokens)) return undefined
  if (open.length === 0) return `has used ${tokens} tokens and ${used} are written down`
  const known = Math.max(...open.map(({ outputTokens }) => outputTokens))
  return known < pieces / 2
    ? `was told to its end, and ${known} tokens are written down`
    : undefined
}

const unitsOf = ({ inputTokens, outputTokens, characters = 0, seconds = 0 }: UsageRecord) =>
  inputTokens + outputTokens + characters + seconds

/** Each attempt has what the upstream said of it, and costs that. */
function otherCosts({ told }: Upstream, records: readonly UsageRecord[]): readonly string[] {
  const wrong: string[] = []
  const seen = new Set<string>()
  for (const record of records) {
    const { callId, upstreamRequestId: id, costMicroUsd } = record
    const units = unitsOf(record)
    if (id !== undefined && seen.has(id)) wrong.push(`${id} of the upstream is there twice`)
    if (id !== undefined) seen.add(id)
    if (costMicroUsd !== units && record.reported)
      wrong.push(`${callId} has used ${units} and cost ${costMicroUsd}`)
    const isWhole = record.outcome === 'completed' && record.unsettled !== true
    if (isWhole && (id === undefined || told.get(id) !== units))
      wrong.push(`${id} of the upstream is in ${callId} with ${units}`)
  }
  return wrong
}

/** What is in the database needs no journal any more. */
function leftFiles(folder: string): readonly string[] {
  return readdirSync(join(folder, 'journal')).map((name) => `${name} was left behind`)
}
