import type { Fields } from '@sluice/contract'
import type { Inspected, NativeReading, StreamWatcher } from './protocol.ts'
import { readUsage, servedAs } from './usage.ts'

/** Watches nothing: for formats that are not streamed. */
export function createIdleWatcher(): StreamWatcher {
  return { see: () => 'other', usage: () => undefined, textBytes: () => 0 }
}

/** Of a request that every upstream with its format takes as it is, and whose response says no more than its usage. */
export const usualRequest: Inspected = {
  isForeign: false,
  extensions: new Set(),
  isPlain: false,
  isTakenByAll: false,
  named: [],
  repaired: undefined,
  watcher: createIdleWatcher,
  read: readUsual,
}

function readUsual(body: Fields): NativeReading {
  return { usage: servedAs(body['service_tier'], readUsage(body['usage'])) }
}
