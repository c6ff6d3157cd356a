import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, describe, test } from 'vitest'
import type { Store } from '../../../packages/gateway/src/ports/store.ts'
import { openPostgres } from '../../../packages/store/src/postgres/open-postgres.ts'
import { openSqlite } from '../../../packages/store/src/sqlite/open-sqlite.ts'
import {
  leaveOutPostgres,
  openTestDatabase,
  query,
} from '../../../packages/store/test/postgres/postgres-server.ts'
import type { StartOptions } from '../start.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { putMigrated } from './migrated-file.ts'

/** The stored data of gateways: all gateways started with these options share it, as replicas do. */
export interface SharedData extends AsyncDisposable {
  readonly options: Pick<StartOptions, 'dataFolder' | 'databaseUrl'>
  /** Another connection to the data, without a gateway. The caller disposes it. */
  openStore(): Promise<Store>
  /** Runs a statement that bypasses the program. */
  run(statement: string): Promise<void>
}

/** Creates empty data in one of the databases. The caller disposes it. */
export type NewData = () => Promise<SharedData>

const postgres = await openTestDatabase()
afterAll(() => postgres?.[Symbol.asyncDispose]())

async function newSqliteData(): Promise<SharedData> {
  const folder = temporaryFolder()
  const file = join(folder.path, 'sluice.db')
  putMigrated(file)
  return {
    options: { dataFolder: folder.path },
    openStore: async () => openSqlite({ file }),
    async run(statement) {
      using db = new DatabaseSync(file, { timeout: 10_000 })
      db.exec(statement)
    },
    async [Symbol.asyncDispose]() {
      folder[Symbol.dispose]()
    },
  }
}

/** Each gateway also has its own data folder, as on separate machines. */
async function newPostgresData(): Promise<SharedData> {
  if (!postgres) throw new Error('These tests are left out')
  const databaseUrl = await postgres.newSchema()
  return {
    options: { databaseUrl },
    openStore: () => openPostgres({ url: databaseUrl }),
    run: (statement) => query(databaseUrl, statement),
    async [Symbol.asyncDispose]() {},
  }
}

/** Runs a flow on each available database; if one is missing, a skipped test reports it. */
export function onEachDatabase(describeFlow: (newData: NewData) => void): void {
  describe('on SQLite', () => {
    describeFlow(newSqliteData)
  })
  describe.runIf(postgres)('on PostgreSQL', () => {
    describeFlow(newPostgresData)
  })
  test('PostgreSQL is available', (context) => {
    if (!postgres) leaveOutPostgres(context)
  })
}
