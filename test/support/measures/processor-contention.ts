const document = JSON.stringify(
  Array.from({ length: 5_000 }, (_, index) => ({ id: `item ${index}`, text: 'a\n'.repeat(50) })),
)
let leastMs = Number.POSITIVE_INFINITY

function work(): void {
  const start = performance.now()
  JSON.stringify(JSON.parse(document))
  leastMs = Math.min(leastMs, performance.now() - start)
}

/**
 * How many times as much processor time the same work takes now as it took at its fastest, because other programs share the
 * cores and their caches; at least 1. `runs` is how often the work is done for it, a few milliseconds each: the system counts
 * processor time in steps of that size.
 */
export function crowding(runs: number): number {
  const before = process.threadCpuUsage()
  for (let run = 0; run < runs; run += 1) work()
  const { user, system } = process.threadCpuUsage(before)
  return Math.max(1, (user + system) / 1000 / runs / leastMs)
}
