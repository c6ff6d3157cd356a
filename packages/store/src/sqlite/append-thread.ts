import { openThread } from '../threads/call-thread.ts'
import { type Database, type NewRows, RefusedData } from '../database.ts'
import { sqliteError } from '../unavailable.ts'

/** Writes in a separate thread with its own connection, one call at a time; see `Database.append`. */
export interface AppendThread extends Pick<Database, 'append'>, AsyncDisposable {
  /** Runs changes in one transaction, and returns how many rows each statement of each has changed. */
  change(changes: readonly Change[]): Promise<readonly (readonly number[])[]>
}

/** Statements that belong together. */
export type Change = readonly BoundStatement[]

export interface BoundStatement {
  readonly text: string
  readonly values: readonly (string | number | null)[]
}

export interface AppendMethods {
  append(rows: EncodedRows): void
  change(changes: readonly Change[]): readonly (readonly number[])[]
}

export interface EncodedRows extends Omit<NewRows, 'documents'> {
  /** The documents in UTF-8, one after the other. Overwritten after the answer. */
  readonly bytes: SharedArrayBuffer
  /** Where each ends. */
  readonly ends: Uint32Array
}

/** A batch needs a few megabytes; without limits the heap of a thread grows with garbage. */
const resourceLimits = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 64 }

/** Five hundred usage records. Memory that no batch has needed is not occupied. */
const batchBytes = 1024 * 1024

/** The thread starts on first use, so that startup and CLI commands do not wait for it. */
export function openAppendThread(file: string): AppendThread {
  const thread = openThread<AppendMethods>(new URL('./append-thread-entry.ts', import.meta.url), {
    task: 'writes to the database',
    data: file,
    resourceLimits,
    errorOf(error) {
      const known = sqliteError(error)
      return known instanceof RefusedData ? known : error
    },
  })
  /** Used for every batch that fits: a copy that is passed in a message would be allocated and cloned each time. */
  const reused = new SharedArrayBuffer(batchBytes)

  function encoded({ table, columns, documents }: NewRows): EncodedRows {
    const size = documents.reduce((sum, document) => sum + Buffer.byteLength(document), 0)
    const bytes = size <= reused.byteLength ? reused : new SharedArrayBuffer(size)
    const target = Buffer.from(bytes)
    let end = 0
    const ends = Uint32Array.from(documents, (document) => (end += target.write(document, end)))
    return { table, columns, bytes, ends }
  }

  /** Settles when the last request has finished, successfully or not. */
  let last: Promise<void> = Promise.resolve()
  return {
    change: (changes) => thread.call('change', changes),
    append(rows) {
      const mine = last.then(() => thread.call('append', encoded(rows)))
      last = mine.catch(() => {})
      return mine
    },
    async [Symbol.asyncDispose]() {
      await last
      await thread[Symbol.asyncDispose]()
    },
  }
}
