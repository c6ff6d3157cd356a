import { parseArgs } from 'node:util'

export interface BenchOptions {
  readonly mode: 'full' | 'quick' | 'keep' | 'soak' | 'compare' | 'recordings' | 'readme'
  /** Names; undefined means all. */
  readonly scenarios: readonly string[] | undefined
  readonly targets: readonly string[] | undefined
  readonly rounds: number
  /** Of a soak; streams, one for a hundred of them, come on top. */
  readonly requests: number
  /** Of a comparison: other builds of this gateway, each as `name=folder`. */
  readonly builds: readonly string[]
  /** The folder of recorded streams that the benchmark's are compared with. */
  readonly recordings: string | undefined
  /** Other gateways that have settings in `peers/`, each as `name=path`. */
  readonly peers: readonly string[]
  /** Each as `name=command,url`. */
  readonly gateways: readonly string[]
  /** The results as JSON on standard output instead of tables. */
  readonly json: boolean
}

const roundsUsual = 5
const requestsUsual = 600_000

/** Throws an Error that says what is wrong with the command line. */
export function readOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
      soak: { type: 'boolean', default: false },
      compare: { type: 'boolean', default: false },
      readme: { type: 'boolean', default: false },
      recordings: { type: 'string' },
      build: { type: 'string', multiple: true, default: [] },
      json: { type: 'boolean', default: false },
      scenarios: { type: 'string' },
      targets: { type: 'string' },
      rounds: { type: 'string', default: String(roundsUsual) },
      requests: { type: 'string', default: String(requestsUsual) },
      peer: { type: 'string', multiple: true, default: [] },
      gateway: { type: 'string', multiple: true, default: [] },
    },
  })
  const modes = (['quick', 'keep', 'soak', 'compare', 'recordings', 'readme'] as const).filter(
    (mode) => values[mode] !== undefined && values[mode] !== false,
  )
  if (modes.length > 1) throw new Error(`--${modes.join(' and --')} exclude each other`)
  return {
    mode: modes[0] ?? 'full',
    scenarios: listOf(values.scenarios),
    targets: listOf(values.targets),
    rounds: countOf('rounds', values.rounds),
    requests: countOf('requests', values.requests),
    builds: values.build,
    recordings: values.recordings,
    peers: values.peer,
    gateways: values.gateway,
    json: values.json,
  }
}

function countOf(name: string, text: string): number {
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1)
    throw new Error(`--${name} ${text} is not a whole number from 1`)
  return count
}

function listOf(text: string | undefined): readonly string[] | undefined {
  return text?.split(',').map((name) => name.trim())
}

/** Those of the names that were asked for, in their own order. Throws an Error for one that does not exist. */
export function chosen<T extends { readonly name: string }>(
  all: readonly T[],
  names: readonly string[] | undefined,
): readonly T[] {
  if (!names) return all
  const known = new Set(all.map(({ name }) => name))
  const unknown = names.filter((name) => !known.has(name))
  if (unknown.length > 0)
    throw new Error(`There is no ${unknown.join(', ')}; there are ${[...known].join(', ')}`)
  return all.filter(({ name }) => names.includes(name))
}
