// What the limits of a call cost: putting aside and settling, in this process's memory. `npm run bench:limits`.
import { availableParallelism } from 'node:os'
import type { Claim } from '../../packages/gateway/src/ports/limiter.ts'
import { formatTable } from '../../packages/sluice/src/cli/table.ts'
import { createMemoryLimiter } from '../../packages/store/src/limits/memory-limiter.ts'

const leaseMs = 60_000
const plenty = 1_000_000_000_000
const callsPerRound = 100_000
const rounds = 7

const levels = ['key', 'user', 'team', 'organization'] as const
const rate = (of: string, unit: 'requests' | 'tokens', limit = plenty): Claim => ({
  kind: 'rate',
  bucket: `${of}:${unit}`,
  unit,
  limit,
  amount: unit === 'requests' ? 1 : 900,
})
const place = (of: string): Claim => ({ kind: 'concurrency', bucket: of, limit: plenty })
const budget = (of: string): Claim => ({
  kind: 'budget',
  bucket: `${of}:b`,
  window: 'month',
  limit: plenty,
  amount: 900,
})
const all = (of: string) => [rate(of, 'requests'), rate(of, 'tokens'), place(of), budget(of)]

interface Scenario {
  readonly name: string
  /** The claims of one call of this key. */
  readonly claims: (key: string) => readonly Claim[]
  readonly keys: number
}

const scenarios: readonly Scenario[] = [
  { name: 'a rate of requests', keys: 1, claims: (key) => [rate(key, 'requests')] },
  { name: 'the same, 10,000 keys in turn', keys: 10_000, claims: (key) => [rate(key, 'requests')] },
  {
    name: 'requests, tokens and a place',
    keys: 1,
    claims: (key) => [rate(key, 'requests'), rate(key, 'tokens'), place(key)],
  },
  { name: 'the same and a budget', keys: 1, claims: all },
  {
    name: 'all of it on four levels',
    keys: 1,
    claims: (key) => levels.flatMap((of) => all(key + of)),
  },
  { name: 'a refusal', keys: 1, claims: (key) => [rate(key, 'requests', 1)] },
]

/** Microseconds of one call, from the asking to the settling: the median of the rounds. */
async function measure({ claims, keys }: Scenario): Promise<number> {
  await using limiter = createMemoryLimiter()
  const asked = Array.from({ length: keys }, (_, key) => claims(`key_${key}_`))
  const actual = { tokens: 400, nanoUsd: 400 }
  const times: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const begun = performance.now()
    for (let call = 0; call < callsPerRound; call += 1) {
      const decision = limiter.reserve(asked[call % keys] ?? [], leaseMs)
      // Nothing is recalled here, so that no answer is waited for.
      if (decision instanceof Promise) throw new Error('The limiter has to wait')
      if (decision.granted) limiter.settle(decision, actual)
    }
    times.push(((performance.now() - begun) * 1_000) / callsPerRound)
  }
  // The first rounds are those of a cold engine.
  return times.slice(2).toSorted((one, other) => one - other)[2] ?? Number.NaN
}

const rows: string[][] = []
for (const scenario of scenarios) {
  const microseconds = await measure(scenario)
  const { length } = scenario.claims('')
  rows.push([
    scenario.name,
    String(length),
    microseconds.toFixed(2),
    (microseconds / length).toFixed(2),
  ])
}
console.info(`Node ${process.version}, ${availableParallelism()} cores; microseconds, medians\n`)
console.info(formatTable(['A CALL CLAIMS', 'CLAIMS', 'EACH CALL', 'EACH CLAIM'], rows))
