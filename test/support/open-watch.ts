import { createHook } from 'node:async_hooks'
import { getEventListeners } from 'node:events'
import {
  type CancelListener,
  Cancellation,
} from '../../packages/sluice/src/gateway/attempt/cancellation.ts'
import { countOpenDeadlines } from '../../packages/sluice/src/gateway/attempt/deadline.ts'

/**
 * What the code of src holds: timers that have neither fired nor been cleared, listeners for an abort or a cancellation,
 * and limits of attempts.
 */
export interface Watch extends Disposable {
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
export function openWatch(): Watch {
  const timers = new Map<number, string>()
  const listeners: { signal: AbortSignal; listener: unknown; from: string }[] = []
  const hook = createHook({
    // They are many, and each would cost a call.
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
export const countTimers = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
