import { Worker } from 'node:worker_threads'
import { type Database, type NewRows, RefusedData } from './database.ts'

/** Writes outside the main thread, over a connection of its own, one call after the other; see `Database.append`. */
export type SqliteThread = Pick<Database, 'append'> & AsyncDisposable

/** What goes to the thread: rows to write, or the request to close the connection and end. */
export type ToThread = ({ readonly kind: 'append' } & NewRows) | { readonly kind: 'close' }

/** What the thread answers to rows. */
export type FromThread =
  | { readonly kind: 'done' }
  | { readonly kind: 'refused' | 'failed'; readonly message: string }

/** What a batch needs is a few megabytes; without limits the heap of a thread takes what garbage it likes. */
const heapLimits = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 64 }

/** A thread starts when it is first needed, so that no start and no command waits for one. */
export function openSqliteThread(file: string): SqliteThread {
  let worker: Worker | undefined
  let caller: PromiseWithResolvers<void> | undefined

  function start(): Worker {
    const started = new Worker(new URL('./sqlite-thread-entry.ts', import.meta.url), {
      workerData: file,
      resourceLimits: heapLimits,
    })
    let failure = new Error('The thread that writes to the database has ended')
    started.on('error', (error) => {
      failure = new Error(failure.message, { cause: error })
    })
    started.on('exit', () => {
      worker = undefined
      caller?.reject(failure)
    })
    started.on('message', (answer: FromThread) => {
      // Only a write under way keeps the process alive.
      started.unref()
      if (answer.kind === 'done') caller?.resolve()
      else caller?.reject(new (answer.kind === 'refused' ? RefusedData : Error)(answer.message))
    })
    return started
  }

  function send(to: Worker, message: ToThread): void {
    to.ref()
    to.postMessage(message)
  }

  async function append(rows: NewRows): Promise<void> {
    worker ??= start()
    caller = Promise.withResolvers()
    send(worker, { kind: 'append', ...rows })
    await caller.promise
  }

  /** What was asked for last is over, well or not. */
  let last: Promise<void> = Promise.resolve()
  return {
    append(rows) {
      const mine = last.then(() => append(rows))
      last = mine.catch(() => {})
      return mine
    },
    async [Symbol.asyncDispose]() {
      await last
      const ending = worker
      if (!ending) return
      const ended = new Promise<void>((resolve) => {
        ending.once('exit', () => resolve())
      })
      send(ending, { kind: 'close' })
      await ended
    },
  }
}
