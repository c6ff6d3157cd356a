import { Worker } from 'node:worker_threads'
import { type Database, type NewRows, RefusedData } from '../database.ts'

/** Writes in a separate thread with its own connection, one call at a time; see `Database.append`. */
export type SqliteThread = Pick<Database, 'append'> & AsyncDisposable

/** Messages to the thread: rows to write, or a request to close. */
export type ToThread = SharedRows | { readonly kind: 'close' }

export interface SharedRows extends Omit<NewRows, 'documents'> {
  readonly kind: 'append'
  /** The documents in UTF-8, one after the other. Overwritten after the answer. */
  readonly bytes: SharedArrayBuffer
  /** Where each ends. */
  readonly ends: Uint32Array
}

/** Messages from the thread, one per batch of rows. */
export type FromThread =
  | { readonly kind: 'done' }
  | { readonly kind: 'refused' | 'failed'; readonly message: string }

/** A batch needs a few megabytes; without limits the heap of a thread grows with garbage. */
const heapLimits = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 64 }

/** Five hundred usage records. Memory that no batch has needed is not occupied. */
const keptBytes = 1024 * 1024

/** The thread starts on first use, so that startup and CLI commands do not wait for it. */
export function openSqliteThread(file: string): SqliteThread {
  let worker: Worker | undefined
  let caller: PromiseWithResolvers<void> | undefined
  /** Used for every batch that fits: a copy that is passed in a message would be allocated and cloned each time. */
  const kept = new SharedArrayBuffer(keptBytes)

  function start(): Worker {
    const started = new Worker(new URL('./append-thread-entry.ts', import.meta.url), {
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
      // Only a write in progress keeps the process alive.
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

  function shared({ table, columns, documents }: NewRows): SharedRows {
    const size = documents.reduce((sum, document) => sum + Buffer.byteLength(document), 0)
    const bytes = size <= kept.byteLength ? kept : new SharedArrayBuffer(size)
    const target = Buffer.from(bytes)
    let end = 0
    const ends = Uint32Array.from(documents, (document) => (end += target.write(document, end)))
    return { kind: 'append', table, columns, bytes, ends }
  }

  async function append(rows: NewRows): Promise<void> {
    worker ??= start()
    caller = Promise.withResolvers()
    send(worker, shared(rows))
    await caller.promise
  }

  /** Settles when the last request has finished, successfully or not. */
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
