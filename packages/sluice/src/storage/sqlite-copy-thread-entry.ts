// The code of the thread that sqlite-copy-thread.ts starts.
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { copyDatabase } from './sqlite-copy.ts'

if (parentPort) {
  const { source, copy } = workerData as { readonly source: string; readonly copy: string }
  // The lock of a gateway that brings the database up to date is waited for.
  using db = new DatabaseSync(source, { readOnly: true, timeout: 10_000 })
  copyDatabase(db, copy)
}
