// The benchmark: see ../README.md.
import { mkdirSync, writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { type Cold, coldLoads, measureCold, measureFreshStreams } from './cold.ts'
import { compare } from './compare.ts'
import { compareRecordings } from './compare-recordings.ts'
import { measureOpenStreams, type OpenStreams } from './memory.ts'
import { type Bench, type OpenTarget, openBench } from './open-targets.ts'
import { type BenchOptions, chosen, readOptions } from './options.ts'
import { drawPicture } from './picture.ts'
import { keep, quick } from './quick.ts'
import { describeMachine, formatResults, type Results } from './results.ts'
import { type Measured, measureRounds } from './rounds.ts'
import { writeReadme } from './readme.ts'
import { scenarios } from './scenarios.ts'
import { type Soak, soak } from './soak.ts'
import { measureStartup } from './startup.ts'
import { availableTargets, givenTarget, peerTarget, type Target } from './targets.ts'

const print = (text: string) => void process.stdout.write(`${text}\n`)
const tell = (text: string) => void process.stderr.write(`${text}\n`)

/** Until most of what is run has been optimised. */
const warmRequests = 40_000
const openStreams = 3_000
/** One of so many requests of a soak is a stream. */
const requestsPerStream = 100

/** What is measured besides the loads; `--scenarios` names them too. */
const extras = [
  ...coldLoads,
  { name: 'fresh-streams' },
  { name: 'open-streams' },
  { name: 'startup' },
] as const

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2))
  if (options.mode === 'readme') {
    writeReadme()
    return 0
  }
  if (process.platform !== 'linux') {
    print('Not measured: processor time is read from /proc, which only Linux has.')
    return 0
  }
  if (options.mode === 'quick') return quick({ print, tell })
  if (options.mode === 'keep') await keep({ print, tell })
  else if (options.mode === 'compare') await compare({ ...options, print })
  else if (options.recordings !== undefined)
    await compareRecordings(options.recordings, { ...options, print })
  else await measureAll(options)
  return 0
}

async function measureAll(options: BenchOptions): Promise<void> {
  const others = [...options.peers.map(peerTarget), ...options.gateways.map(givenTarget)]
  const all = [...availableTargets(), ...others]
  const usual = all.filter(({ isExtra }) => isExtra !== true).map(({ name }) => name)
  const wanted = options.targets ?? (options.mode === 'soak' ? ['sluice'] : usual)
  const targets = chosen(all, wanted)
  const names = new Set(
    chosen([...scenarios, ...extras], options.scenarios).map(({ name }) => name),
  )
  const machine = describeMachine()
  await using bench = await openBench()
  if (bench.cores.gateway === undefined)
    tell(
      'Not pinned: taskset or a second core is missing. Figures of different runs do not compare.',
    )
  const found =
    options.mode === 'soak'
      ? { ...nothing, soaks: await soakAll(bench, targets, options.requests) }
      : await measureTargets(bench, targets, { names, rounds: options.rounds })
  const results: Results = {
    at: new Date().toISOString(),
    machine,
    loadAfter: loadavg(),
    rounds: options.rounds,
    ...found,
  }
  write(results, options.mode === 'soak' ? 'soak' : 'latest')
  print(options.json ? JSON.stringify(results, null, 2) : formatResults(results))
}

type Found = Omit<Results, 'at' | 'machine' | 'loadAfter' | 'rounds'>
const nothing: Found = {
  measured: [],
  cold: [],
  freshStreams: [],
  openStreams: [],
  startups: [],
  soaks: [],
}

async function measureTargets(
  bench: Bench,
  targets: readonly Target[],
  { names, rounds }: { readonly names: ReadonlySet<string>; readonly rounds: number },
): Promise<Found> {
  const startups = names.has('startup')
    ? await each(targets, 'startup', (target) => measureStartup(bench, target, rounds))
    : []
  const cold: Cold[] = []
  for (const load of coldLoads.filter(({ name }) => names.has(name)))
    cold.push(...(await each(targets, load.name, (one) => measureCold(bench, one, load, rounds))))
  const freshStreams = names.has('fresh-streams')
    ? await each(targets, 'fresh-streams', (one) => measureFreshStreams(bench, one, rounds))
    : []
  const loads = scenarios.filter(({ name }) => names.has(name))
  const open: OpenTarget[] = []
  if (loads.length > 0) for (const target of targets) open.push(await bench.open(target))
  const measured: Measured[] = []
  for (const scenario of loads)
    measured.push(await measureRounds(open, scenario, { rounds, warmRequests, tell }))
  const held = names.has('open-streams')
    ? await each(targets, 'open-streams', (target) => holdStreams(bench, target))
    : []
  return { startups, cold, freshStreams, measured, openStreams: held, soaks: [] }
}

/** Measures one target after the other. One that cannot do it costs its own row and not the minutes before it. */
async function each<Row>(
  targets: readonly Target[],
  name: string,
  measure: (target: Target) => Promise<Row | undefined>,
): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const target of targets) {
    try {
      const row = await measure(target)
      if (row !== undefined) rows.push(row)
      tell(`${name}: ${target.name} done`)
    } catch (error) {
      tell(error instanceof Error ? error.message : String(error))
    }
  }
  return rows
}

/** In a process of its own: memory that earlier loads left behind would hide what the streams take. */
async function holdStreams(bench: Bench, target: Target): Promise<OpenStreams | undefined> {
  await using open = await bench.open(target)
  return await measureOpenStreams(open, openStreams)
}

async function soakAll(bench: Bench, targets: readonly Target[], requests: number) {
  const streams = Math.ceil(requests / requestsPerStream)
  const soaks: Soak[] = []
  for (const target of targets) {
    await using open = await bench.open(target)
    soaks.push(await soak(open, { requests, streams, tell }))
  }
  return soaks
}

function write(results: Results, name: string): void {
  const folder = join(import.meta.dirname, '..', 'results')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(results, null, 2)}\n`)
  if (results.measured.length > 0) writeFileSync(join(folder, `${name}.svg`), drawPicture(results))
}

try {
  process.exitCode = await main()
} catch (error) {
  tell(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
