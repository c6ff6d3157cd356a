import type { SQLInputValue } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { RefusedData } from './database.ts'

/** Runs statements outside the main thread, over a connection of their own. One call at a time. */
export interface SqliteThread extends AsyncDisposable {
  /**
   * Runs the statement once for each list of values, in one transaction.
   *
   * @throws RefusedData when the data break a constraint.
   */
  run(text: string, values: Statement['values']): Promise<void>
}

export interface Statement {
  readonly text: string
  readonly values: readonly (readonly SQLInputValue[])[]
}

/** What goes to the thread: a statement to run, or the request to close the connection and end. */
export type ToThread = ({ readonly kind: 'run' } & Statement) | { readonly kind: 'close' }

/** What the thread answers to each statement. */
export type FromThread =
  | { readonly kind: 'done' }
  | { readonly kind: 'refused' | 'failed'; readonly message: string }

/** A thread starts when it is first needed, so that no start and no command waits for one. */
export function openSqliteThread(file: string): SqliteThread {
  let worker: Worker | undefined
  let caller: PromiseWithResolvers<void> | undefined

  function start(): Worker {
    const started = new Worker(new URL('./sqlite-thread-entry.ts', import.meta.url), {
      workerData: file,
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
      // Only a statement under way keeps the process alive.
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

  return {
    async run(text, values) {
      worker ??= start()
      caller = Promise.withResolvers()
      send(worker, { kind: 'run', text, values })
      await caller.promise
    },
    async [Symbol.asyncDispose]() {
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
