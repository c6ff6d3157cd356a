import { type LoadReport, runLoad } from '../../packages/sluice/src/cli/load/run-load.ts'
import { warm } from './measure.ts'
import { type OpenTarget, openBench } from './open-targets.ts'
import { cpuUs } from './proc.ts'
import { burst, burstGemini, chat2k, shotOf, type Scenario, scenarios } from './scenarios.ts'
import { percentile } from './statistics.ts'
import { availableTargets, buildTarget, type Target } from './targets.ts'

export interface CompareOptions {
  /** Folders of other builds of this gateway: each holds `bin/` and `dist/`. */
  readonly builds: readonly string[]
  /** Names; undefined means a 2 KB chat and two passed streams. */
  readonly scenarios: readonly string[] | undefined
  readonly rounds: number
  readonly print: (line: string) => void
}

/** So few that most bursts of an unpaced load meet nobody else on the core. */
const burstRequests = 150
const pacedMs = 1_000
const warmRequests = 20_000

/**
 * Builds side by side on a machine that others use too: bursts in turn, and of each build a low percentile of processor time
 * per request. What others do only adds to it, and seldom to a tenth of all bursts.
 */
export async function compare(options: CompareOptions): Promise<void> {
  const { builds, rounds, print } = options
  await using bench = await openBench()
  const ours = availableTargets().filter(({ name }) => ['thin', 'bare', 'sluice'].includes(name))
  const targets: readonly Target[] = [...ours, ...builds.map(buildTarget)]
  const opened: OpenTarget[] = []
  for (const target of targets) opened.push(await bench.open(target))
  for (const scenario of scenarios.filter((one) => isWanted(one, options))) {
    for (const target of opened) await warm(target, scenario, warmRequests)
    const bursts = new Map<string, number[]>(opened.map(({ name }) => [name, []]))
    for (let round = 0; round < rounds; round += 1)
      for (const target of opened) bursts.get(target.name)?.push(await burstUs(target, scenario))
    print(`${scenario.title}, ${rounds} bursts each, µs per request`)
    const thinUs = percentile(bursts.get('thin') ?? [], 10)
    for (const [name, us] of bursts) {
      const low = percentile(us, 10)
      const shown = [Math.min(...us), low, percentile(us, 50)].map((one) => one.toFixed(0))
      print(
        `  ${name}: smallest ${shown[0]}, 10th percentile ${shown[1]} (${(low / thinUs).toFixed(2)} times thin), median ${shown[2]}`,
      )
    }
  }
}

const usual: ReadonlySet<string> = new Set([chat2k, burst, burstGemini].map(({ name }) => name))

function isWanted({ name }: Scenario, { scenarios: names }: CompareOptions): boolean {
  return names ? names.includes(name) : usual.has(name)
}

export async function burstUs(target: OpenTarget, scenario: Scenario): Promise<number> {
  const shot = shotOf(scenario, target)
  const before = target.pid === undefined ? 0 : cpuUs(target.pid)
  const report: LoadReport = await runLoad({
    url: target.url,
    concurrency: scenario.connections,
    ...(scenario.spreadMs === undefined
      ? { requests: burstRequests, durationMs: 60_000 }
      : { durationMs: pacedMs, spreadMs: scenario.spreadMs }),
    shot: () => shot,
  })
  const after = target.pid === undefined ? 0 : cpuUs(target.pid)
  return (after - before) / report.requests
}
