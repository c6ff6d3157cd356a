// The code of the thread that sqlite-thread.ts starts.
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { FromThread, Statement, ToThread } from './sqlite-thread.ts'

/** Longer than the main thread waits, since nobody waits for this one. */
const lockWaitMs = 5_000

if (parentPort) serve(parentPort, String(workerData))

function serve(port: MessagePort, file: string): void {
  const db = new DatabaseSync(file, { timeout: lockWaitMs })
  db.exec('PRAGMA synchronous = NORMAL')
  // There are few, and SQLite prepares one again itself where a table has changed. One for each batch would stay in
  // native memory until this thread, which has little else to collect, collects.
  const statements = new Map<string, StatementSync>()
  const prepare = (text: string): StatementSync => {
    const statement = statements.get(text) ?? db.prepare(text)
    statements.set(text, statement)
    return statement
  }
  port.on('message', (message: ToThread) => {
    if (message.kind === 'run') return port.postMessage(run(db, prepare, message))
    db.close()
    port.close()
  })
}

function run(
  db: DatabaseSync,
  prepare: (text: string) => StatementSync,
  { text, values }: Statement,
): FromThread {
  try {
    const statement = prepare(text)
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
