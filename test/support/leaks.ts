import { createHook } from 'node:async_hooks'
import { getEventListeners } from 'node:events'
import { expect } from 'vitest'
import {
  Cancellation,
  type CancelListener,
} from '../../packages/sluice/src/gateway/attempt/cancellation.ts'
import { countOpenDeadlines } from '../../packages/sluice/src/gateway/attempt/deadline.ts'
import type { FakeUpstream } from './fake-upstream.ts'
import { until } from './start.ts'

/**
 * What the code of src holds: timers that have neither fired nor been cleared, listeners for an abort or a cancellation,
 * and limits of attempts.
 */
interface Watch extends Disposable {
  /** Where each of them was made, oldest first. */
  held(): readonly string[]
}

/**
 * Where the code of src began what is beginning now; undefined where something else did, such as a library, which has
 * timers of its own for all connections, or the test.
 */
function beginner(): string | undefined {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 30
  const stack = new Error().stack ?? ''
  Error.stackTraceLimit = stackTraceLimit
  // The timer of AbortSignal.timeout holds nothing: it goes with its signal.
  if (stack.includes('node:internal/abort_controller')) return undefined
  const own = stack
    .split('\n')
    .slice(1)
    .find(
      (line) =>
        !line.includes('(node:') &&
        !line.includes('at node:') &&
        !line.includes(import.meta.filename),
    )
  return own === undefined ? undefined : /\/(src\/[\w/.-]+:\d+)/.exec(own)?.[1]
}

/** Only what begins from now on is seen. Timers that keep no process alive are seen too. */
function openWatch(): Watch {
  const timers = new Map<number, string>()
  const listeners: { signal: AbortSignal; listener: unknown; from: string }[] = []
  const hook = createHook({
    init(id, type) {
      if (type !== 'Timeout') return
      const from = beginner()
      if (from !== undefined) timers.set(id, `a timer of ${from}`)
    },
    destroy(id) {
      timers.delete(id)
    },
  }).enable()
  const attempts = watchAttempts()
  const prototype = AbortSignal.prototype as unknown as Record<string, unknown>
  prototype['addEventListener'] = function watched(
    this: AbortSignal,
    ...call: Parameters<EventTarget['addEventListener']>
  ) {
    const from = beginner()
    const [, listener] = call
    if (from !== undefined)
      listeners.push({ signal: this, listener, from: `a listener of ${from}` })
    EventTarget.prototype.addEventListener.apply(this, call)
  }
  return {
    held: () => [
      ...timers.values(),
      ...listeners
        .filter(({ signal, listener }) =>
          getEventListeners(signal, 'abort').includes(listener as () => void),
        )
        .map(({ from }) => from),
      ...attempts.held(),
    ],
    [Symbol.dispose]() {
      hook.disable()
      attempts[Symbol.dispose]()
      delete prototype['addEventListener']
    },
  }
}

/** The cancellations that are listened to, and the limits of attempts. */
function watchAttempts(): Watch {
  const deadlines = countOpenDeadlines()
  const waiting = new Map<CancelListener, { from: string; of: Cancellation }>()
  // oxlint-disable-next-line typescript/unbound-method -- Called with its own `this` below.
  const { add, remove } = Cancellation.prototype
  Cancellation.prototype.add = function watched(listener) {
    const from = beginner()
    if (from !== undefined) waiting.set(listener, { from: `a listener of ${from}`, of: this })
    add.call(this, listener)
  }
  Cancellation.prototype.remove = function watched(listener) {
    waiting.delete(listener)
    remove.call(this, listener)
  }
  return {
    held: () => [
      ...[...waiting.values()].filter(({ of }) => !of.isCancelled).map(({ from }) => from),
      ...Array.from(
        { length: Math.max(0, countOpenDeadlines() - deadlines) },
        () => 'a limit of an attempt',
      ),
    ],
    [Symbol.dispose]: () => void Object.assign(Cancellation.prototype, { add, remove }),
  }
}

/** Timers of the whole process that keep it alive: those of libraries count too. */
const timers = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length

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
  const before = { connections: connections(), timers: timers() }
  using watch = openWatch()
  for (let time = 0; time < times; time += 1) await flow()
  const left = () => ({
    held: watch.held(),
    isQuiet: isQuiet(),
    timers: Math.max(0, timers() - before.timers),
    // One may be opened while the last is still on its way back to the pool.
    hasConnectionsLeft: connections() - before.connections >= times,
  })
  const nothing = { held: [], isQuiet: true, timers: 0, hasConnectionsLeft: false }
  await until(() => JSON.stringify(left()) === JSON.stringify(nothing), withinMs).catch(
    () => undefined,
  )
  expect(left()).toEqual(nothing)
}
