import { setTimeout as pause } from 'node:timers/promises'
import { runLoad } from '../../packages/sluice/src/cli/load/run-load.ts'
import type { Bench, OpenTarget } from './open-targets.ts'
import { cpuUs } from './proc.ts'
import { chat2k, shotOf } from './scenarios.ts'
import { median } from './statistics.ts'
import type { Target } from './targets.ts'

/** A load that begins with the first call of a process. */
interface ColdLoad {
  readonly name: string
  readonly title: string
  readonly connections: number
  /** Calls after which the processor time is read. */
  readonly ends: readonly number[]
}

/** The start of a busy process: `cold` in what is kept. */
export const coldStart: ColdLoad = {
  name: 'cold',
  title: '2 KB chat on a fresh process, 64 callers',
  connections: 64,
  ends: [500, 2_000, 7_000, 10_000],
}

export const coldLoads: readonly ColdLoad[] = [
  coldStart,
  {
    name: 'cold-one-caller',
    title: '2 KB chat on a fresh process, one caller after another',
    connections: 1,
    ends: [700, 1_400],
  },
]

/** Processor time per call in microseconds, from the call before to each end: the smallest of all starts. */
export interface Cold {
  readonly load: string
  readonly target: string
  readonly ends: readonly number[]
  readonly cpuUs: readonly number[]
}

/** Undefined for what has no process of ours. */
export async function measureCold(
  bench: Bench,
  target: Target,
  { name, connections, ends }: ColdLoad,
  starts: number,
): Promise<Cold | undefined> {
  if (!target.begin) return undefined
  const smallest = ends.map(() => Number.POSITIVE_INFINITY)
  for (let count = 0; count < starts; count += 1) {
    await using open = await bench.open(target)
    for (const [index, us] of (await coldRun(open, connections, ends)).entries())
      smallest[index] = Math.min(us, smallest[index] ?? us)
  }
  return { load: name, target: target.name, ends, cpuUs: smallest }
}

async function coldRun(
  open: OpenTarget,
  connections: number,
  ends: readonly number[],
): Promise<readonly number[]> {
  const shot = shotOf(chat2k, open)
  const each: number[] = []
  let done = 0
  for (const end of ends) {
    const before = readUs(open)
    const { failures } = await runLoad({
      url: open.url,
      concurrency: connections,
      requests: end - done,
      shot: () => shot,
    })
    if (Object.keys(failures).length > 0)
      throw new Error(`${open.name} fails: ${JSON.stringify(failures)}`)
    each.push((readUs(open) - before) / (end - done))
    done = end
  }
  return each
}

function readUs({ pid }: OpenTarget): number {
  return pid === undefined ? 0 : cpuUs(pid)
}

/** Clients that all connect again after a deployment. */
const freshStreams = 200
const freshPaceMs = 20
const settleMs = 250

/** Streams that begin at once on a fresh process. Times in milliseconds: medians of all starts. */
export interface FreshStreams {
  readonly target: string
  readonly firstP50Ms: number
  readonly firstP99Ms: number
  /** Processor time in microseconds, the smallest of all starts. */
  readonly cpuUsPerEvent: number
  readonly failures: number
}

export async function measureFreshStreams(
  bench: Bench,
  target: Target,
  starts: number,
): Promise<FreshStreams | undefined> {
  if (!target.begin) return undefined
  const runs: Omit<FreshStreams, 'target'>[] = []
  for (let count = 0; count < starts; count += 1) {
    await using open = await bench.open(target)
    runs.push(await freshRun(open))
  }
  return {
    target: target.name,
    firstP50Ms: median(runs.map(({ firstP50Ms }) => firstP50Ms)),
    firstP99Ms: median(runs.map(({ firstP99Ms }) => firstP99Ms)),
    cpuUsPerEvent: Math.min(...runs.map(({ cpuUsPerEvent }) => cpuUsPerEvent)),
    failures: runs.reduce((sum, { failures }) => sum + failures, 0),
  }
}

async function freshRun(open: OpenTarget): Promise<Omit<FreshStreams, 'target'>> {
  const shot = shotOf({ ...chat2k, model: `paced-${freshPaceMs}`, stream: true }, open)
  const before = readUs(open)
  const { events, firstEventMs, failures } = await runLoad({
    url: open.url,
    concurrency: freshStreams,
    requests: freshStreams,
    shot: () => shot,
  })
  await pause(settleMs)
  return {
    firstP50Ms: firstEventMs?.p50 ?? Number.NaN,
    firstP99Ms: firstEventMs?.p99 ?? Number.NaN,
    cpuUsPerEvent: (readUs(open) - before) / events,
    failures: Object.values(failures).reduce((sum, one) => sum + one, 0),
  }
}
