import { type Cell, measure, warm } from './measure.ts'
import type { OpenTarget } from './open-targets.ts'
import type { Scenario } from './scenarios.ts'
import { median, spread } from './statistics.ts'

/** What one target showed in all rounds of a scenario. Processor time in microseconds per request. */
export interface Row {
  readonly target: string
  /** The smallest of the rounds: other people's load can only add to it. */
  readonly cpuUs: number | undefined
  readonly cpuMedianUs: number | undefined
  /** How far the rounds lie apart, as a share of their median. */
  readonly cpuSpread: number | undefined
  /** `cpuUs` as a multiple of the thin proxy's: the yardstick. */
  readonly ratio: number | undefined
  /** The same of the bare proxy's. */
  readonly ratioToBare: number | undefined
  readonly requestsPerSecond: number
  readonly first: Cell['first']
  readonly whole: Cell['whole']
  readonly residentBytes: number | undefined
  readonly eventDelay: Cell['eventDelay']
  readonly gatewayShare: number | undefined
  readonly othersShare: number | undefined
  readonly loadShare: number
  readonly loadCoreShare: number
  readonly failures: number
  readonly rounds: readonly Cell[]
}

export interface RoundsOptions {
  readonly rounds: number
  readonly warmRequests: number
  readonly tell: (line: string) => void
}

export interface Measured {
  readonly scenario: Scenario
  readonly rows: readonly Row[]
  /** Targets that cannot do it, and why. */
  readonly leftOut: readonly string[]
}

/** Measures the targets in turn, round after round, so that a change in the machine's load meets all of them. */
export async function measureRounds(
  targets: readonly OpenTarget[],
  scenario: Scenario,
  { rounds, warmRequests, tell }: RoundsOptions,
): Promise<Measured> {
  const able: OpenTarget[] = []
  const leftOut: string[] = []
  for (const target of targets) {
    const failure = await warm(target, scenario, warmRequests)
    if (failure === undefined) able.push(target)
    else leftOut.push(`${target.name} fails: ${failure}`)
  }
  const cells = new Map<string, Cell[]>(able.map(({ name }) => [name, []]))
  for (let round = 1; round <= rounds; round += 1) {
    for (const target of able) cells.get(target.name)?.push(await measure(target, scenario))
    tell(`${scenario.name}: round ${round} of ${rounds}`)
  }
  return { scenario, rows: rowsOf(cells), leftOut }
}

export function rowsOf(cells: ReadonlyMap<string, readonly Cell[]>): readonly Row[] {
  const usOf = (name: string) => smallest(known((cells.get(name) ?? []).map(({ cpuUs }) => cpuUs)))
  const thinUs = usOf('thin')
  const bareUs = usOf('bare')
  return [...cells].map(([target, rounds]) => {
    const cpu = known(rounds.map(({ cpuUs }) => cpuUs))
    const cpuUs = smallest(cpu)
    const middle = (of: (cell: Cell) => number) => median(rounds.map(of))
    const pairOf = (of: (cell: Cell) => Cell['first']) => {
      const pairs = known(rounds.map(of))
      if (pairs.length === 0) return undefined
      return { p50: median(pairs.map(({ p50 }) => p50)), p99: median(pairs.map(({ p99 }) => p99)) }
    }
    const middleOf = (of: (cell: Cell) => number | undefined) => {
      const values = known(rounds.map(of))
      return values.length > 0 ? median(values) : undefined
    }
    return {
      target,
      cpuUs,
      cpuMedianUs: cpu.length > 0 ? median(cpu) : undefined,
      cpuSpread: cpu.length > 0 ? spread(cpu) : undefined,
      ratio: quotient(cpuUs, thinUs),
      ratioToBare: quotient(cpuUs, bareUs),
      requestsPerSecond: middle((cell) => cell.requestsPerSecond),
      first: pairOf((cell) => cell.first),
      whole: pairOf((cell) => cell.whole),
      residentBytes: middleOf((cell) => cell.residentBytes),
      eventDelay: pairOf((cell) => cell.eventDelay),
      gatewayShare: middleOf((cell) => cell.gatewayShare),
      othersShare: middleOf((cell) => cell.othersShare),
      loadShare: middle((cell) => cell.loadShare),
      loadCoreShare: middle((cell) => cell.loadCoreShare),
      failures: rounds
        .flatMap(({ failures }) => Object.values(failures))
        .reduce((sum, count) => sum + count, 0),
      rounds,
    }
  })
}

function quotient(one: number | undefined, other: number | undefined): number | undefined {
  return one !== undefined && other !== undefined ? one / other : undefined
}

function known<T>(values: readonly (T | undefined)[]): readonly T[] {
  return values.filter((value) => value !== undefined)
}

function smallest(values: readonly number[]): number | undefined {
  return values.length > 0 ? Math.min(...values) : undefined
}
