// The code of the thread that sqlite-thread.ts starts.
import { DatabaseSync } from 'node:sqlite'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { FromThread, Statement, ToThread } from './sqlite-thread.ts'

/** Longer than the main thread waits, since nobody waits for this one. */
const lockWaitMs = 5_000

if (parentPort) serve(parentPort, String(workerData))

function serve(port: MessagePort, file: string): void {
  const db = new DatabaseSync(file, { timeout: lockWaitMs })
  db.exec('PRAGMA synchronous = NORMAL')
  port.on('message', (message: ToThread) => {
    if (message.kind === 'run') return port.postMessage(run(db, message))
    db.close()
    port.close()
  })
}

function run(db: DatabaseSync, { text, values }: Statement): FromThread {
  try {
    // Prepared each time: no table may have changed under it, and it is little beside the rows.
    const statement = db.prepare(text)
    db.exec('BEGIN IMMEDIATE')
    for (const row of values) statement.run(...row)
    db.exec('COMMIT')
    return { kind: 'done' }
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    const message = error instanceof Error ? error.message : String(error)
    return { kind: isConstraintFailure(error) ? 'refused' : 'failed', message }
  }
}

/** SQLite's primary result code 19 (https://sqlite.org/rescode.html); the upper bits tell which constraint it was. */
function isConstraintFailure(error: unknown): boolean {
  if (!(error instanceof Error) || !('errcode' in error)) return false
  return typeof error.errcode === 'number' && (error.errcode & 0xff) === 19
}
