// The thread started by usage-thread.ts.
import { DatabaseSync } from 'node:sqlite'
import type { Sql } from 'sql-template-tag'
import { serveThread } from '../threads/serve-thread.ts'
import { boundValues } from '../bound-values.ts'
import { recordsPerFoldUsual, type UsageDatabase } from '../usage/fold.ts'
import { createUsageBook } from '../usage/usage-book.ts'
import { transaction } from './transaction.ts'
import type { UsageMethods } from './usage-thread.ts'

/** Longer than in the main thread, because no call is blocked by this one. */
const lockWaitMs = 5_000

serveThread<UsageMethods>((file) => {
  const db = new DatabaseSync(String(file), { timeout: lockWaitMs })
  db.exec('PRAGMA synchronous = NORMAL')
  return { methods: createUsageBook(databaseOf(db)), [Symbol.dispose]: () => db.close() }
})

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
