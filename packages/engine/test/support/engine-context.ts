import type { OperationContext } from '../../src/operation.ts'
import type { WorkerPool } from '../../src/workers/pool.ts'
import { createMediaFetcher } from '../../../sluice/src/http/fetch-media.ts'

const noWorkers: WorkerPool = {
  run: () => Promise.reject(new Error('This test has no workers')),
  [Symbol.asyncDispose]: () => Promise.resolve(),
}

/** What the engine may use of the world, standing still: the clock shows 5 March 2026, chance is always the same. */
export function engineContext(changes: Partial<OperationContext> = {}): OperationContext {
  const fetchMedia = createMediaFetcher()
  let ids = 0
  return {
    model: 'builtin-chat',
    signal: new AbortController().signal,
    workers: noWorkers,
    fetchMedia: (url, options) => fetchMedia(url, { ...options, timeoutMs: 1000 }),
    publish: () => 'http://localhost/unused',
    now: () => Date.UTC(2026, 2, 5, 12),
    newId: (prefix) => `${prefix}${(ids += 1)}`,
    random: () => 0.5,
    ...changes,
  }
}
