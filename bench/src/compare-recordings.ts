import { burstUs } from './compare.ts'
import { warm } from './measure.ts'
import { openBench } from './open-targets.ts'
import { heldKinds } from './recordings.ts'
import { burstFor } from './scenarios.ts'
import { percentile } from './statistics.ts'
import { availableTargets } from './targets.ts'

export interface RecordingsOptions {
  readonly rounds: number
  readonly print: (line: string) => void
}

const warmRequests = 4_000
/** Streams that cost more or less than recorded ones by this are no measure of them. */
const tolerance = 0.1

/** What the benchmark's streams cost the gateway, beside the same streams of recorded events: bursts in turn, 10th percentiles. */
export async function compareRecordings(
  folder: string,
  { rounds, print }: RecordingsOptions,
): Promise<void> {
  await using bench = await openBench(folder)
  for (const name of ['thin', 'sluice']) {
    const found = availableTargets().find((target) => target.name === name)
    if (!found) continue
    await using target = await bench.open(found)
    for (const kind of heldKinds) {
      const ours = burstFor(kind)
      const recorded = { ...ours, model: `recorded-${kind.name}` }
      for (const scenario of [ours, recorded]) await warm(target, scenario, warmRequests)
      const us: [ours: number[], recorded: number[]] = [[], []]
      for (let round = 0; round < rounds; round += 1) {
        const inTurn = [
          [us[0], ours],
          [us[1], recorded],
        ] as const
        // Each of them as often the first of its round.
        for (const [values, scenario] of round % 2 === 0 ? inTurn : inTurn.toReversed())
          values.push(await burstUs(target, scenario))
      }
      const [low = 0, recordedLow = 1] = us.map((values) => percentile(values, 10))
      const ratio = low / recordedLow
      const held = Math.abs(ratio - 1) <= tolerance ? 'held' : 'NOT HELD'
      print(
        `${name}, ${kind.name}: ${low.toFixed(0)} µs, recorded ${recordedLow.toFixed(0)} µs: ${ratio.toFixed(2)}, ${held}`,
      )
    }
  }
}
