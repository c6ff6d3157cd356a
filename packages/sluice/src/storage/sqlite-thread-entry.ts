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
    db.prepare(text).run(...values)
    return { kind: 'done' }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { kind: isConstraintFailure(error) ? 'refused' : 'failed', message }
  }
}

/** SQLite's primary result code 19 (https://sqlite.org/rescode.html); the upper bits tell which constraint it was. */
function isConstraintFailure(error: unknown): boolean {
  if (!(error instanceof Error) || !('errcode' in error)) return false
  return typeof error.errcode === 'number' && (error.errcode & 0xff) === 19
}
