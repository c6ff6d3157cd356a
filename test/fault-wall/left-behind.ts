import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { countOpenDeadlines } from '../../packages/gateway/src/attempt/deadline.ts'
import { openWatch } from '../support/measures/open-resources.ts'
import { until } from '../support/start.ts'

/** What a process holds that may grow with every call. */
export interface LeftBehind extends Disposable {
  /** What has come since it was opened and has not gone again, as sentences. */
  look(): Promise<readonly string[]>
}

/** Caches, compiled code and the results themselves, but nothing of each call: those are thousands. */
const heapBytesMax = 96 * 1024 * 1024
const soonMs = 10_000

/** The place where each timer and listener began is asked for up to so many calls: it costs more than they do. */
const tracedMax = 1_000

/** Limits of attempts, handles and memory; of a run of few calls also every timer and listener of the gateway. */
export function watchLeftBehind(calls: number): LeftBehind {
  const heap = heapBytes()
  const handles = countHandles()
  const limits = countOpenDeadlines()
  const watch = calls > tracedMax ? undefined : openWatch()
  const held = (): readonly string[] => [
    ...(watch?.held() ?? []),
    ...(countOpenDeadlines() > limits ? ['the limit of an attempt'] : []),
    ...[...countHandles()].flatMap(([name, count]) => {
      const before = handles.get(name) ?? 0
      return count > before ? [`${count - before} handles of ${name}`] : []
    }),
  ]
  return {
    async look() {
      await until(() => held().length === 0, soonMs).catch(() => undefined)
      const grown = heapBytes() - heap
      return [
        ...held().map((sentence) => `left behind: ${sentence}`),
        ...(grown > heapBytesMax ? [`left behind: ${Math.round(grown / 1_048_576)} MiB`] : []),
      ]
    },
    [Symbol.dispose]: () => watch?.[Symbol.dispose](),
  }
}

function countHandles(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const name of process.getActiveResourcesInfo())
    if (name !== 'Immediate') counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

function heapBytes(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  return process.memoryUsage().heapUsed
}
