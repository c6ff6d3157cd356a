import { Worker } from 'node:worker_threads'
import type { UsageBook } from '../../ports/usage-book.ts'
import { unavailable } from '../unavailable.ts'

/** Rows are summed as they are read, so little memory is live at any time. */
const resourceLimits = { maxYoungGenerationSizeMb: 6 }

type Method = Exclude<keyof UsageBook, symbol>

/** Messages to the thread: a method of the book with its argument, or a request to close. */
export type ToUsageThread =
  | {
      readonly kind: 'ask'
      readonly id: number
      readonly method: Method
      readonly argument: unknown
    }
  | { readonly kind: 'close' }

/** Messages from the thread. `passing`: the error is temporary. */
export type FromUsageThread =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly message: string; readonly passing: boolean }

/**
 * The usage book of a SQLite database in a thread with its own connection, because SQLite statements block the thread that
 * runs them. The thread starts on first use.
 */
export function openUsageThread(file: string): UsageBook {
  const asked = new Map<number, PromiseWithResolvers<unknown>>()
  let worker: Worker | undefined
  let count = 0

  function start(): Worker {
    const entry = new URL('./usage-thread-entry.ts', import.meta.url)
    const started = new Worker(entry, { workerData: file, resourceLimits })
    let cause: unknown
    started.on('error', (error) => {
      cause = error
    })
    started.on('exit', () => {
      worker = undefined
      for (const { reject } of asked.values())
        reject(new Error('The thread that reads usage has ended', { cause }))
      asked.clear()
    })
    started.on('message', (answer: FromUsageThread) => settle(answer))
    return started
  }

  function settle(answer: FromUsageThread): void {
    const waiting = asked.get(answer.id)
    asked.delete(answer.id)
    // Only an open request keeps the process alive.
    if (asked.size === 0) worker?.unref()
    if ('result' in answer) return waiting?.resolve(answer.result)
    const error = new Error(answer.message)
    waiting?.reject(answer.passing ? unavailable(error) : error)
  }

  function ask(method: Method, argument?: unknown): Promise<unknown> {
    worker ??= start()
    worker.ref()
    const waiting = Promise.withResolvers<unknown>()
    const id = (count += 1)
    asked.set(id, waiting)
    worker.postMessage({ kind: 'ask', id, method, argument } satisfies ToUsageThread)
    return waiting.promise
  }

  // The thread calls the method of the same name and returns its result.
  const remote =
    <Name extends Method>(name: Name) =>
    (...given: Parameters<UsageBook[Name]>) =>
      ask(name, given[0]) as ReturnType<UsageBook[Name]>
  return {
    fold: remote('fold'),
    sums: remote('sums'),
    records: remote('records'),
    spent: remote('spent'),
    requests: remote('requests'),
    newest: remote('newest'),
    rebuild: remote('rebuild'),
    forget: remote('forget'),
    erase: remote('erase'),
    async [Symbol.asyncDispose]() {
      const ending = worker
      if (!ending) return
      const ended = new Promise<void>((resolve) => {
        ending.once('exit', () => resolve())
      })
      ending.ref()
      ending.postMessage({ kind: 'close' } satisfies ToUsageThread)
      await ended
    },
  }
}
