import { setTimeout } from 'node:timers/promises'

const tickMs = 15
/** The head of a stream and its first text are sent at once. */
const atOnce = 2
/** After this many ticks, the items per tick grow, so that long responses do not take longer. */
const evenTicks = 12
const growth = 1.5
const paceMsMax = 500

/**
 * Returns a function to await before each item of a stream that is computed at once, so that it arrives over time as from a
 * model: at first one item per tick, then more and more, and after half a second all the rest without a pause. Undefined means
 * that the item may be sent at once. Rejects when the signal aborts; a waiting timer does not keep the process alive.
 */
export function createPace(signal: AbortSignal): () => Promise<void> | undefined {
  const began = performance.now()
  let left = atOnce
  let size = 1
  let ticks = 0
  return () => {
    if (left > 0) {
      left -= 1
      return undefined
    }
    if (performance.now() - began >= paceMsMax) {
      left = Infinity
      return undefined
    }
    ticks += 1
    if (ticks > evenTicks) size *= growth
    left = Math.floor(size) - 1
    return setTimeout(tickMs, undefined, { signal, ref: false })
  }
}
