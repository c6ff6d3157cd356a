import { setImmediate } from 'node:timers/promises'
import { GatewayError } from '@sluice/contract'

/** Maximum time of uninterrupted computing before other calls get their turn, in milliseconds. */
const sliceMs = 8

/**
 * Returns a function to await within long loops. It lets other work run when its time is used up. It throws `cancelled` once
 * the signal is aborted.
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
