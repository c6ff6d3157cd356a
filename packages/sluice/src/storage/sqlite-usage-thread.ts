import { Worker } from 'node:worker_threads'
import type { UsageBook } from '../ports/usage-book.ts'
import { unavailable } from './unavailable.ts'

/** What it reads it adds up at once, so that little of it is alive at any moment. */
const resourceLimits = { maxYoungGenerationSizeMb: 6 }

type Method = Exclude<keyof UsageBook, symbol>

/** What goes to the thread: a method of the book and its argument, or the request to end. */
export type ToUsageThread =
  | {
      readonly kind: 'ask'
      readonly id: number
      readonly method: Method
      readonly argument: unknown
    }
  | { readonly kind: 'close' }

/** What the thread answers. `passing`: the database may do it another time. */
export type FromUsageThread =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly message: string; readonly passing: boolean }

/**
 * The book of a SQLite database, in a thread with a connection of its own: a statement of SQLite's holds up the thread that
 * runs it. The thread starts when it is first needed.
 */
export function openUsageThread(file: string): UsageBook {
  const asked = new Map<number, PromiseWithResolvers<unknown>>()
  let worker: Worker | undefined
  let count = 0

  function start(): Worker {
    const entry = new URL('./sqlite-usage-thread-entry.ts', import.meta.url)
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
    // Only a question that is open keeps the process alive.
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

  // The thread calls the method of the same name: what comes back is what that returns.
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
