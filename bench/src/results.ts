import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, loadavg, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { formatTable } from '../../packages/sluice/src/cli/table.ts'
import { type Cold, coldLoads, type FreshStreams } from './cold.ts'
import type { OpenStreams } from './memory.ts'
import type { Measured, Row } from './rounds.ts'
import type { Soak } from './soak.ts'
import type { Startup } from './startup.ts'

export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly memoryBytes: number
  readonly kernel: string
  readonly node: string
  readonly versions: Readonly<Record<string, string>>
  /** Over one, five and fifteen minutes, before the first measurement. */
  readonly loadBefore: readonly number[]
}

export interface Results {
  readonly at: string
  readonly machine: Machine
  readonly loadAfter: readonly number[]
  readonly rounds: number
  readonly measured: readonly Measured[]
  readonly cold: readonly Cold[]
  readonly freshStreams: readonly FreshStreams[]
  readonly openStreams: readonly OpenStreams[]
  readonly startups: readonly Startup[]
  readonly soaks: readonly Soak[]
}

const root = join(import.meta.dirname, '..', '..')

export function describeMachine(): Machine {
  const [cpu] = cpus()
  return {
    cpu: cpu?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryBytes: totalmem(),
    kernel: release(),
    node: process.versions.node,
    versions: {
      sluice: versionIn('package.json'),
      fastify: versionIn('node_modules/fastify/package.json'),
      undici: versionIn('node_modules/undici/package.json'),
      'undici of thin and bare': versionIn('node_modules/undici-fastest/package.json'),
      ...optionally('nginx', nginxVersion()),
      ...optionally(
        'portkey',
        versionIn('bench/node_modules/.gateways/node_modules/@portkey-ai/gateway/package.json'),
      ),
    },
    loadBefore: loadavg(),
  }
}

function versionIn(path: string): string {
  try {
    return JSON.parse(readFileSync(join(root, path), 'utf8')).version
  } catch {
    return ''
  }
}

function nginxVersion(): string {
  return (
    /nginx\/([\d.]+)/.exec(spawnSync('nginx', ['-v'], { encoding: 'utf8' }).stderr ?? '')?.[1] ?? ''
  )
}

function optionally(name: string, version: string): Readonly<Record<string, string>> {
  return version === '' ? {} : { [name]: version }
}

/** A share above which a core counts as full: what waits behind it is a queue. */
const fullShare = 0.9

const blank = '–'
const number = (value: number | undefined, digits = 0) => value?.toFixed(digits) ?? blank
const percent = (share: number | undefined) =>
  share === undefined ? blank : `${Math.round(share * 100)} %${share > fullShare ? '!' : ''}`
const milliseconds = (pair: Row['first']) =>
  pair ? `${pair.p50.toFixed(2)} / ${pair.p99.toFixed(2)}` : blank
const megabytes = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MB`

/** Everything for people to read. `!` marks a core that is full, so that delays beside it are those of a queue. */
export function formatResults(results: Results): string {
  const { machine, loadAfter, measured, cold, freshStreams, openStreams, startups, soaks } = results
  const load = (averages: readonly number[]) => averages.map((one) => one.toFixed(2)).join(' ')
  return [
    `${machine.cpu}, ${machine.cores} cores, Linux ${machine.kernel}, Node ${machine.node}`,
    Object.entries(machine.versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(', '),
    `Load average before ${load(machine.loadBefore)}, after ${load(loadAfter)}. ${results.rounds} rounds.`,
    'CPU: the gateway’s processor time per request in µs, smallest of the rounds. `!`: a core that is full.',
    ...measured.flatMap((one) => ['', one.scenario.title, rowsTable(one), ...one.leftOut]),
    ...coldLoads.flatMap(({ name, title }) => {
      const rows = cold.filter(({ load }) => load === name)
      return rows.length > 0 ? ['', `${title}: CPU (to thin / to bare)`, coldTable(rows)] : []
    }),
    ...(freshStreams.length > 0
      ? ['', '200 streams at once on a fresh process', freshTable(freshStreams)]
      : []),
    ...(openStreams.length > 0 ? ['', 'Open streams that wait', streamsTable(openStreams)] : []),
    ...(startups.length > 0 ? ['', 'Start', startupTable(startups)] : []),
    ...soaks.map((one) => `\n${soakText(one)}`),
  ].join('\n')
}

function rowsTable({ scenario, rows }: Measured): string {
  const paced = rows.some(({ eventDelay }) => eventDelay !== undefined)
  const headings = [
    '',
    'CPU',
    'median',
    'spread',
    'to thin',
    'to bare',
    'per s',
    `first ${scenario.stream ? 'text' : 'byte'} ms p50/p99`,
    paced ? 'delay per event ms p50/p99' : 'whole ms p50/p99',
    'memory',
    'gateway core',
    'others on it',
    'stub+client',
    'their core',
    'failed',
  ]
  return formatTable(
    headings,
    rows.map((row) => [
      row.target,
      number(row.cpuUs),
      number(row.cpuMedianUs),
      row.cpuSpread === undefined ? blank : `${Math.round(row.cpuSpread * 100)} %`,
      number(row.ratio, 2),
      number(row.ratioToBare, 2),
      number(row.requestsPerSecond),
      milliseconds(row.first),
      milliseconds(paced ? row.eventDelay : row.whole),
      row.residentBytes === undefined ? blank : megabytes(row.residentBytes),
      percent(row.gatewayShare),
      percent(row.othersShare),
      percent(row.loadShare),
      percent(row.loadCoreShare),
      String(row.failures),
    ]),
  )
}

function coldTable(rows: readonly Cold[]): string {
  const usOf = (name: string, index: number) =>
    rows.find(({ target }) => target === name)?.cpuUs[index]
  const ends = rows[0]?.ends ?? []
  return formatTable(
    ['', ...ends.map((end, index) => `calls ${(ends[index - 1] ?? 0) + 1} to ${end}`)],
    rows.map(({ target, cpuUs }) => [
      target,
      ...cpuUs.map((us, index) => {
        const to = (name: string) => number(us / (usOf(name, index) ?? Number.NaN), 2)
        return `${number(us)} (${to('thin')} / ${to('bare')})`
      }),
    ]),
  )
}

function freshTable(rows: readonly FreshStreams[]): string {
  return formatTable(
    ['', 'first event ms p50/p99', 'CPU per event', 'failed'],
    rows.map(({ target, firstP50Ms, firstP99Ms, cpuUsPerEvent, failures }) => [
      target,
      milliseconds({ p50: firstP50Ms, p99: firstP99Ms }),
      number(cpuUsPerEvent, 1),
      String(failures),
    ]),
  )
}

function streamsTable(rows: readonly OpenStreams[]): string {
  return formatTable(
    ['', 'streams', 'before', 'open', 'each'],
    rows.map(({ target, streams, beforeBytes, openBytes, bytesPerStream }) => [
      target,
      String(streams),
      megabytes(beforeBytes),
      megabytes(openBytes),
      `${(bytesPerStream / 1024).toFixed(1)} KB`,
    ]),
  )
}

function startupTable(rows: readonly Startup[]): string {
  return formatTable(
    ['', 'ready ms', 'idle memory'],
    rows.map(({ target, readyMs, idleBytes }) => [target, number(readyMs), megabytes(idleBytes)]),
  )
}

/** Growth is told per 100,000 requests. */
const perRequests = 100_000

function soakText(soak: Soak): string {
  const { target, requests, streams, cancelled, growth, firstBytes, lastBytes, failures } = soak
  const grown = (bytes: number) => ((bytes * perRequests) / 1024 / 1024).toFixed(1)
  const failed = Object.keys(failures).length > 0 ? ` Failures: ${JSON.stringify(failures)}.` : ''
  return `Soak of ${target}: ${requests} requests, ${streams} of them streams, ${cancelled} left by the caller. Memory ${megabytes(
    firstBytes,
  )} after the warm-up, ${megabytes(lastBytes)} at the end; growth per 100,000 requests ${grown(
    growth.slope,
  )} ± ${grown(growth.error)} MB.${failed}`
}
