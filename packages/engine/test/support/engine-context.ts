import { Network } from '../../../gateway/src/dial/network.ts'
import { createMediaFetcher } from '../../../gateway/src/media/fetch-media.ts'
import type { OperationContext } from '../../src/engine.ts'
import { tasks } from '../../src/workers/tasks.ts'

/** Does the work in this process. */
const inPlace: OperationContext['workers'] = {
  async run(name, input) {
    const task = await tasks[name]()
    // The input is that of the very task, and so is the result.
    return (await task(input as never, { progress: () => undefined })) as never
  },
}

/** What the engine may use of the world, standing still: the clock shows 5 March 2026, chance is always the same. */
export function engineContext(changes: Partial<OperationContext> = {}): OperationContext {
  const fetchMedia = createMediaFetcher({ network: new Network() })
  let ids = 0
  return {
    model: 'builtin-chat',
    key: 'key_1',
    signal: new AbortController().signal,
    workers: inPlace,
    fetchMedia: (url, options) => fetchMedia(url, { ...options, timeoutMs: 1000 }),
    publish: () => 'http://localhost/unused',
    now: () => Date.UTC(2026, 2, 5, 12),
    newId: (prefix) => `${prefix}${(ids += 1)}`,
    random: () => 0.5,
    ...changes,
  }
}
