// The thread started by copy-thread.ts.
import { DatabaseSync } from 'node:sqlite'
import { serveThread } from '../threads/serve-thread.ts'
import { copyDatabase } from './copy-database.ts'
import type { CopyMethods } from './copy-thread.ts'

serveThread<CopyMethods>(() => ({
  methods: {
    copy({ source, copy }) {
      // Waits for the lock of a gateway that is migrating the database.
      using db = new DatabaseSync(source, { readOnly: true, timeout: 10_000 })
      copyDatabase(db, copy)
    },
  },
}))
