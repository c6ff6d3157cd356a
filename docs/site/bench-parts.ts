import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What the last kept run of the benchmark says (`bench/results/latest.json`), as far as pages show it. */
interface Results {
  readonly at: string
  readonly machine: { readonly cpu: string; readonly node: string }
  readonly startups: readonly { readonly target: string; readonly idleBytes: number }[]
  readonly measured: readonly {
    readonly scenario: { readonly name: string }
    readonly rows: readonly Row[]
  }[]
  readonly openStreams: readonly {
    readonly target: string
    readonly streams: number
    readonly bytesPerStream: number
  }[]
}

interface Row {
  readonly target: string
  /** Processor time of one call in microseconds. */
  readonly cpuUs?: number
  readonly requestsPerSecond: number
}

function resultsOf(root: string): Results {
  return JSON.parse(readFileSync(join(root, 'bench/results/latest.json'), 'utf8')) as Results
}

function rowOf({ measured }: Results, scenario: string, target: string): Row {
  const rows = measured.find(({ scenario: { name } }) => name === scenario)?.rows
  const row = rows?.find((one) => one.target === target)
  if (!row) throw new Error(`The benchmark has not measured ${target} with ${scenario}`)
  return row
}

function microseconds({ cpuUs = Number.NaN }: Row): string {
  return String(Math.round(cpuUs))
}

/** To two digits: more would pretend that the next run says the same. */
function roughly(count: number): string {
  return Number(count.toPrecision(2)).toLocaleString('en')
}

const loads = [
  ['chat, 2 KB, same format', 'chat-2k', 'sluice'],
  ['the same, translated to another format', 'chat-2k', 'sluice-translating'],
  ['chat, 100 KB', 'chat-100k', 'sluice'],
  ['a stream of 50 events that arrive at once', 'burst', 'sluice'],
] as const

/** What a call costs by its load, and what an open stream takes. */
export function sizingPart(root: string): readonly string[] {
  const results = resultsOf(root)
  const { machine, at, startups, openStreams } = results
  const rows = loads.map(([title, scenario, target]) => {
    const row = rowOf(results, scenario, target)
    return `| ${title} | ${microseconds(row)} µs | ${roughly(row.requestsPerSecond)} |`
  })
  const open = openStreams.find(({ target }) => target === 'sluice')
  const idle = startups.find(({ target }) => target === 'sluice')
  if (!open || !idle) throw new Error('The benchmark has not measured open streams')
  const { streams, bytesPerStream } = open
  return [
    `From \`bench/results/latest.json\` (${at.slice(0, 10)}, one core of an ${machine.cpu}, Node ${machine.node}, all features enabled; ratios are more portable than absolute figures):`,
    '',
    '| load | CPU time per request | requests per second and core |',
    '|---|---|---|',
    ...rows,
    '',
    `An idle stream uses about ${roughly(bytesPerStream / 1e3)} KB of memory: ${roughly(streams)} streams use about ${roughly((streams * bytesPerStream) / 1e6)} MB in addition to the ${roughly(idle.idleBytes / 1e6)} MB of an idle process.`,
  ]
}

/** What a call costs beside others that were measured in the same run. */
export function speedPart(root: string): readonly string[] {
  const results = resultsOf(root)
  const of = (target: string) => microseconds(rowOf(results, 'chat-2k', target))
  return [
    `In one benchmark run on one core, with 2 KB chat requests, Sluice used ${of('sluice')} µs of CPU time with key check, validation, rate limit, routing, usage record and log line; Portkey's open-source gateway used ${of('portkey')} µs for routing alone; nginx used ${of('nginx')} µs for forwarding bytes after a key check. The other gateways on this page were not measured.`,
  ]
}
