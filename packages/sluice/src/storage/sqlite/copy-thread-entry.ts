// The thread started by copy-thread.ts.
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { copyDatabase } from './copy-database.ts'

if (parentPort) {
  const { source, copy } = workerData as { readonly source: string; readonly copy: string }
  // Waits for the lock of a gateway that is migrating the database.
  using db = new DatabaseSync(source, { readOnly: true, timeout: 10_000 })
  copyDatabase(db, copy)
}
