import { expect } from 'vitest'
import type { FakeUpstream } from './fake-upstream.ts'
import { countTimers, openWatch } from './open-watch.ts'
import { until } from './start.ts'

const times = 3

/**
 * Runs a flow once, which connects and loads what it needs, then three times more, and checks that these have left
 * nothing: no timer, no listener for an abort, no request at an upstream, no connection for each of them.
 */
export async function expectNothingLeft(
  upstreams: readonly FakeUpstream[],
  flow: () => Promise<unknown>,
  withinMs = 5_000,
): Promise<void> {
  const isQuiet = () => upstreams.every(({ seen }) => seen.every(({ isOver }) => isOver))
  await flow()
  await until(isQuiet)
  const connections = () => upstreams.reduce((sum, upstream) => sum + upstream.connections, 0)
  const before = { connections: connections(), timers: countTimers() }
  using watch = openWatch()
  for (let time = 0; time < times; time += 1) await flow()
  const left = () => ({
    held: watch.held(),
    isQuiet: isQuiet(),
    timers: Math.max(0, countTimers() - before.timers),
    // One may be opened while the last is still on its way back to the pool.
    hasConnectionsLeft: connections() - before.connections >= times,
  })
  const nothing = { held: [], isQuiet: true, timers: 0, hasConnectionsLeft: false }
  await until(() => JSON.stringify(left()) === JSON.stringify(nothing), withinMs).catch(
    () => undefined,
  )
  expect(left()).toEqual(nothing)
}
