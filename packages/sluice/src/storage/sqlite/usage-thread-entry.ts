// The thread started by usage-thread.ts.
import { DatabaseSync } from 'node:sqlite'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { GatewayError } from '@sluice/contract'
import type { Sql } from 'sql-template-tag'
import { boundValues } from '../bound-values.ts'
import { transaction } from './transaction.ts'
import type { FromUsageThread, ToUsageThread } from './usage-thread.ts'
import { sqliteError } from '../unavailable.ts'
import { createUsageBook } from '../usage/usage-book.ts'
import { recordsPerFoldUsual, type UsageDatabase } from '../usage/fold.ts'

/** Longer than in the main thread, because no call is blocked by this one. */
const lockWaitMs = 5_000

if (parentPort) serve(parentPort, String(workerData))

function serve(port: MessagePort, file: string): void {
  const db = new DatabaseSync(file, { timeout: lockWaitMs })
  db.exec('PRAGMA synchronous = NORMAL')
  const book = createUsageBook(databaseOf(db))
  // Processed one at a time, in order of arrival.
  let last: Promise<unknown> = Promise.resolve()
  port.on('message', (message: ToUsageThread) => {
    last = last.then(async () => {
      if (message.kind === 'ask') return port.postMessage(await answer(book, message))
      db.close()
      port.close()
    })
  })
}

async function answer(
  book: ReturnType<typeof createUsageBook>,
  { id, method, argument }: Extract<ToUsageThread, { kind: 'ask' }>,
): Promise<FromUsageThread> {
  try {
    // The main thread sends the method's argument.
    const result = await (book[method] as (given: unknown) => Promise<unknown>)(argument)
    return { id, result }
  } catch (thrown) {
    const error = sqliteError(thrown)
    const message = thrown instanceof Error ? thrown.message : String(thrown)
    return { id, message, passing: error instanceof GatewayError }
  }
}

function databaseOf(db: DatabaseSync): UsageDatabase {
  const run = (statements: readonly Sql[]) =>
    statements.map((statement) =>
      Number(db.prepare(statement.sql).run(...boundValues(statement)).changes),
    )
  return {
    recordsPerFold: recordsPerFoldUsual,
    rows: async (query) => db.prepare(query.sql).all(...boundValues(query)),
    change: async (...statements) => transaction(db, () => run(statements)),
    async changeWith(statements, added) {
      transaction(db, () => {
        run(statements)
        for (const { table, columns, rows, zeros, onConflict } of added) {
          if (rows.length === 0) continue
          const places = [...columns.map(() => '?'), ...zeros.map(() => '0')].join(', ')
          const names = [...columns, ...zeros].join(', ')
          const insert = db.prepare(
            `INSERT INTO ${table} (${names}) VALUES (${places}) ${onConflict}`,
          )
          for (const row of rows) insert.run(...row)
        }
      })
    },
  }
}
