import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What the last kept run of the benchmark says (`bench/results/latest.json`), as far as pages show it. */
interface Results {
  readonly at: string
  readonly machine: { readonly cpu: string; readonly node: string }
  readonly startups: readonly { readonly target: string; readonly idleBytes: number }[]
  readonly measured: readonly {
    readonly scenario: {
      readonly name: string
      readonly title: string
      readonly client: string
      readonly upstream: string
      readonly stream: boolean
      /** What the upstream sends, such as `burst-gemini`. */
      readonly model: string
    }
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
  ['chat, 2 KB, same format', 'chat-2k'],
  ['chat, 100 KB', 'chat-100k'],
  ['a stream of 100 events that arrive at once, same format', 'burst-chat'],
  ['the same of Gemini', 'burst-gemini'],
  ['a stream of 100 events of Messages, translated to chat', 'chat-on-messages'],
] as const

/** What a call costs by its load, and what an open stream takes. */
export function sizingPart(root: string): readonly string[] {
  const results = resultsOf(root)
  const { machine, at, startups, openStreams } = results
  const measured = new Set(results.measured.map(({ scenario: { name } }) => name))
  const rows = loads.flatMap(([title, scenario]) => {
    // The kept run may be older than a load.
    if (!measured.has(scenario)) return []
    const row = rowOf(results, scenario, 'sluice')
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

/** What calls cost beside two bare proxies that were measured in the same run, at best and at worst. */
export function speedPart(root: string): readonly string[] {
  const results = resultsOf(root)
  const of = (target: string) => microseconds(rowOf(results, 'chat-2k', target))
  const bursts = results.measured.filter(({ scenario: { model } }) => model.startsWith('burst-'))
  const passed = rangeOf(
    bursts.filter(({ scenario: { stream, client, upstream } }) => stream && client === upstream),
  )
  const translated = rangeOf(
    bursts.filter(({ scenario: { client, upstream } }) => client !== upstream),
  )
  return [
    `In one benchmark run on one core, with 2 KB chat requests, Sluice used ${of('sluice')} µs of CPU time with key check, validation, rate limits, budgets, prices, routing, usage record and log line. A proxy of \`node:http\` and undici that only checks a key used ${of('thin')} µs, one of Fastify ${of('bare')} µs. Streams of 100 events that arrive at once cost ${passed} that first proxy if they are passed on, and ${translated} if they are translated to another format. Other gateways were not measured.`,
  ]
}

/** Such as `1.6 to 5.0 times (Responses)`, with the title of the worst. */
function rangeOf(measured: Results['measured']): string {
  const ratios = measured
    .flatMap(({ scenario: { title }, rows }) => {
      const cpuOf = (name: string) => rows.find(({ target }) => target === name)?.cpuUs
      const [ours, thin] = [cpuOf('sluice'), cpuOf('thin')]
      return ours === undefined || thin === undefined ? [] : [{ title, ratio: ours / thin }]
    })
    .toSorted((left, right) => left.ratio - right.ratio)
  const [least, worst] = [ratios.at(0), ratios.at(-1)]
  if (!least || !worst) throw new Error('The benchmark has not measured streams')
  const title = worst.title.slice(worst.title.indexOf(': ') + 2)
  return `${least.ratio.toFixed(1)} to ${worst.ratio.toFixed(1)} times (${title})`
}
