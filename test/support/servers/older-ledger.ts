import { join } from 'node:path'
import type { UsageStore } from '../../../packages/gateway/src/ports/usage-store.ts'
import type { Database } from '../../../packages/store/src/database.ts'
import { openPostgresDatabase } from '../../../packages/store/src/postgres/open-postgres.ts'
import { postgresUsage } from '../../../packages/store/src/postgres/usage-database.ts'
import { openSqliteDatabase } from '../../../packages/store/src/sqlite/open-sqlite.ts'
import { createUsageStore } from '../../../packages/store/src/usage/usage-store.ts'
import { plainUsage, type UsageDatabase } from '../../../packages/store/src/usage/fold.ts'
import { readState } from '../../../packages/store/src/usage/state.ts'
import type { SharedData } from './databases.ts'

const mark = 'folded_rests'
const column = 'cost_rest_pico_usd'

/**
 * What a program sees and does of the sums that knows nothing below a millionth of a dollar: it reads and adds up no such
 * column, and neither reads nor moves the mark of how far that is summed.
 */
function asOlder(database: UsageDatabase): UsageDatabase {
  const known: UsageDatabase['change'] = (...statements) =>
    database.change(...statements.filter(({ values }) => !values.includes(mark)))
  return {
    recordsPerFold: database.recordsPerFold,
    async rows(query) {
      const rows = await database.rows(query)
      const folded = rows.find(({ name }) => name === 'folded')?.['value']
      return rows.map(({ [column]: _, ...row }) =>
        row['name'] === mark ? { ...row, value: folded } : row,
      )
    },
    change: known,
    changeWith: (statements, added) =>
      database.changeWith(
        statements.filter(({ values }) => !values.includes(mark)),
        added,
      ),
  }
}

interface OlderUsage extends Pick<UsageStore, 'fold'>, AsyncDisposable {
  /** Removes all sums, to make them anew. */
  clear(): Promise<void>
}

/** The usage store of such a program, beside those of others. Disposing it disposes its connection. */
export async function openOlderUsage(
  { options }: Pick<SharedData, 'options'>,
  recordsPerFold = 30,
): Promise<OlderUsage> {
  const { databaseUrl, dataFolder = '' } = options
  const database: Database =
    databaseUrl === undefined
      ? openSqliteDatabase(join(dataFolder, 'sluice.db'))
      : await openPostgresDatabase(databaseUrl)
  const usageDatabase = databaseUrl === undefined ? plainUsage(database) : postgresUsage(database)
  const usage = createUsageStore(asOlder({ ...usageDatabase, recordsPerFold }))
  return {
    fold: () => usage.fold(),
    async clear() {
      await usage.rebuild()
      while ((await readState(database)).clearing > 0) await usage.fold()
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}
