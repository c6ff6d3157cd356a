import { setTimeout as pause } from 'node:timers/promises'
import type { Bench } from './open-targets.ts'
import { residentBytes } from './proc.ts'
import { median } from './statistics.ts'
import type { Target } from './targets.ts'

/** From the start of the process until it accepts connections, and its memory before the first request. */
export interface Startup {
  readonly target: string
  readonly readyMs: number
  readonly idleBytes: number
}

/** Work that a program puts off until after it listens belongs to its idle memory. */
const idleMs = 2_000

/** The medians of several starts; undefined for what has no process of ours. */
export async function measureStartup(
  bench: Bench,
  target: Target,
  starts: number,
): Promise<Startup | undefined> {
  if (!target.begin) return undefined
  // Creating a key takes requests, which would count as part of the start.
  const { createKey: _createKey, ...plain } = target
  const ready: number[] = []
  const idle: number[] = []
  for (let count = 0; count < starts; count += 1) {
    const startedAt = performance.now()
    await using open = await bench.open(plain)
    ready.push(performance.now() - startedAt)
    await pause(idleMs)
    if (open.pid !== undefined) idle.push(residentBytes(open.pid))
  }
  return { target: target.name, readyMs: median(ready), idleBytes: median(idle) }
}
