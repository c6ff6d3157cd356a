import { setImmediate } from 'node:timers/promises'
import { GatewayError } from '@sluice/contract'

/** How long computing may hold the event loop before other calls get their turn. */
const sliceMs = 8

/**
 * Returns a function to be awaited within long loops: it lets other work run when a slice of time is used up.
 * It throws `cancelled` once the signal is aborted.
 */
export function createPause(signal?: AbortSignal): Pause {
  let since = performance.now()
  return async () => {
    if (signal?.aborted === true) throw new GatewayError('cancelled', 'The caller went away')
    if (performance.now() - since < sliceMs) return
    await setImmediate()
    since = performance.now()
  }
}

export type Pause = () => Promise<void>
