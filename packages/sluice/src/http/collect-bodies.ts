import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** With the pieces that it came in and what else is made of it, a body is two or three times as much: less than V8 allows. */
const bytesPerCollection = 16 * 1024 * 1024

type Collect = (options: { readonly type: 'minor' }) => void

let collect: Collect | undefined
let bytes = 0

/**
 * Counts a body that nothing was parsed of, and has young objects collected when there were many.
 *
 * Bodies lie outside V8's heap and count against its limit for such memory: after 64 MB it marks everything that is alive,
 * on all of its threads. They go earlier than that with a collection of young objects, which takes a millisecond or two.
 * But those are due when enough objects were made, and a request whose long texts are left alone makes too few: with 64
 * requests of 100 KB at a time there was a full collection every 320 requests, and none of young objects.
 */
export function countUnparsedBody(length: number): void {
  bytes += length
  if (bytes < bytesPerCollection) return
  bytes = 0
  collect ??= openCollect()
  collect({ type: 'minor' })
}

/** V8 gives its function to contexts that are made after the flag was set (https://nodejs.org/api/globals.html). */
function openCollect(): Collect {
  setFlagsFromString('--expose-gc')
  const exposed: unknown = runInNewContext('gc')
  setFlagsFromString('--no-expose-gc')
  return typeof exposed === 'function' ? (exposed as Collect) : () => {}
}
