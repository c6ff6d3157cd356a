// The thread started by usage-thread.ts.
import type { DatabaseSync } from 'node:sqlite'
import { serveThread } from '../threads/serve-thread.ts'
import { recordsPerFoldUsual, type UsageDatabase } from '../usage/fold.ts'
import { createUsageStore } from '../usage/usage-store.ts'
import { connectThread, rowsOf, run, transaction } from './connection.ts'
import type { UsageMethods } from './usage-thread.ts'

serveThread<UsageMethods>((file) => {
  const db = connectThread(file)
  return { methods: createUsageStore(databaseOf(db)), [Symbol.dispose]: () => db.close() }
})

function databaseOf(db: DatabaseSync): UsageDatabase {
  return {
    recordsPerFold: recordsPerFoldUsual,
    rows: async (query) => rowsOf(db, query),
    change: async (...statements) => transaction(db, () => run(db, statements)),
    async changeWith(statements, added) {
      transaction(db, () => {
        run(db, statements)
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
