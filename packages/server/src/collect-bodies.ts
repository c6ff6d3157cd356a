import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** With its chunks and derived data a body takes two or three times its size, so this stays below V8's limit. */
const bytesPerCollection = 16 * 1024 * 1024

/**
 * A call allocates about this much beside its body (56 KB were measured), so minor collections free smaller bodies soon
 * enough.
 */
const smallBytes = 48 * 1024

type Collect = (options: { readonly type: 'minor' }) => void

let collect: Collect | undefined
let bytes = 0

/**
 * Counts a large body that was not parsed, and runs a minor garbage collection when many have accumulated.
 *
 * Bodies are external memory, for which V8 has its own limit: after 64 MB it starts a full mark phase on all its threads. A
 * minor collection takes a millisecond or two and frees bodies earlier, but it is triggered by object allocation, and a
 * request whose long texts are not parsed allocates too few objects. With 64 concurrent requests of 100 KB there was a full
 * collection every 320 requests, and no minor one.
 */
export function countUnparsedBody(length: number): void {
  if (length < smallBytes) return
  bytes += length
  if (bytes < bytesPerCollection) return
  bytes = 0
  collect ??= openCollect()
  collect({ type: 'minor' })
}

/** V8 exposes `gc` only in contexts created after the flag was set (https://nodejs.org/api/globals.html). */
function openCollect(): Collect {
  setFlagsFromString('--expose-gc')
  const exposed: unknown = runInNewContext('gc')
  setFlagsFromString('--no-expose-gc')
  return typeof exposed === 'function' ? (exposed as Collect) : () => {}
}
