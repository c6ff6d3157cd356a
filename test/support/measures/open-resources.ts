import { createHook } from 'node:async_hooks'
import { getEventListeners } from 'node:events'
import {
  type CancelListener,
  Cancellation,
} from '../../../packages/gateway/src/call/cancellation.ts'
import { countOpenDeadlines } from '../../../packages/gateway/src/attempt/deadline.ts'

/**
 * The open resources of the code in src: timers that have neither fired nor been cleared, listeners for an abort or a
 * cancellation, and deadlines of attempts.
 */
export interface Watch extends Disposable {
  /** The place where each of them was created, oldest first. */
  held(): readonly string[]
}

/**
 * The place in src that creates the current resource; undefined if it is created elsewhere, such as in a library, which has
 * timers of its own for all connections, or in the test.
 */
function beginner(): string | undefined {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 30
  const stack = new Error().stack ?? ''
  Error.stackTraceLimit = stackTraceLimit
  // The timer of AbortSignal.timeout does not count: it is freed with its signal.
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

/** Only resources created from now on are seen, including timers that do not keep the process alive. */
export function openWatch(): Watch {
  const timers = new Map<number, string>()
  const listeners: { signal: AbortSignal; listener: unknown; from: string }[] = []
  const hook = createHook({
    // There are many promises, and each would cost a call of the hook.
    trackPromises: false,
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

/** The cancellations that have listeners, and the deadlines of attempts. */
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

/** Number of timers in the whole process that keep it alive, including those of libraries. */
export const countTimers = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
