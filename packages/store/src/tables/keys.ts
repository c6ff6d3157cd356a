import { GatewayError } from '@sluice/contract'
import sql from 'sql-template-tag'
import type { Store } from '@sluice/gateway/ports/store.ts'
import type { Database } from '../database.ts'
import { findNumber } from './columns.ts'
import { keyColumns } from './schema.ts'
import { compiled, pickColumns, select, tables } from './statements.ts'

/** Part of the transaction of the change, so that whoever sees the new version also sees the change. */
export const countKeyChange = sql`UPDATE versions SET version = version + 1 WHERE name = 'keys'`

/** The part of the store for virtual keys. */
export function keyTable(
  database: Database,
): Pick<Store, 'listKeys' | 'addKey' | 'revokeKey' | 'keysVersion'> {
  return {
    listKeys: () =>
      select(
        database,
        keyColumns,
        tables.selectFrom('apiKeys').selectAll().orderBy('createdAt').orderBy('id'),
      ),
    async addKey(key) {
      const add = tables.insertInto('apiKeys').values(pickColumns(keyColumns, key))
      const [added] = await database.changeDurably(
        compiled(add.onConflict((conflict) => conflict.doNothing())),
        countKeyChange,
      )
      if (added !== 1) throw new GatewayError('conflict', 'This key exists already')
    },
    async revokeKey(id, at) {
      const revoke = tables.updateTable('apiKeys').set({ revokedAt: at })
      const [revoked] = await database.changeDurably(
        compiled(revoke.where('id', '=', id).where('revokedAt', 'is', null)),
        countKeyChange,
      )
      return revoked === 1
    },
    async keysVersion() {
      const version = sql`SELECT version FROM versions WHERE name = 'keys'`
      return String(await findNumber(database, version))
    },
  }
}
