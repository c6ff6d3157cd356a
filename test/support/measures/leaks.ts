import { expect } from 'vitest'
import type { FakeUpstream } from '../fakes/fake-upstream.ts'
import { until } from '../start.ts'
import { countTimers, openWatch } from './open-resources.ts'

const times = 3

/**
 * Runs a flow once, which connects and loads what it needs, then three more times, and checks that these runs leave nothing
 * behind: no timer, no abort listener, no request at an upstream, and no connection per run.
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
    // A new connection may be opened while the last one is still being returned to the pool.
    hasConnectionsLeft: connections() - before.connections >= times,
  })
  const nothing = { held: [], isQuiet: true, timers: 0, hasConnectionsLeft: false }
  await until(() => JSON.stringify(left()) === JSON.stringify(nothing), withinMs).catch(
    () => undefined,
  )
  expect(left()).toEqual(nothing)
}
