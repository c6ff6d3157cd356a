import type { StreamWatcher } from './protocol.ts'

/** Watches nothing: for formats that are not streamed. */
export function createIdleWatcher(): StreamWatcher {
  return { see: () => 'other', usage: () => undefined, textBytes: () => 0 }
}
