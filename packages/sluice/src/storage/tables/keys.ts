import { GatewayError } from '@sluice/contract'
import sql from 'sql-template-tag'
import type { ApiKey } from '../../ports/api-key.ts'
import type { Store } from '../../ports/store.ts'
import { type Columns, fromRow, insertNew, integer, json, text } from './columns.ts'
import type { Database } from '../database.ts'
import { termColumns } from './term-columns.ts'

/** The columns of a key. */
export const keyColumns: Columns<ApiKey> = {
  id: text('id'),
  name: text('name'),
  hash: text('hash'),
  role: text('role'),
  prefix: text('prefix'),
  adminRole: text('admin_role'),
  ownerId: text('owner_id'),
  createdAt: integer('created_at'),
  disabledAt: integer('disabled_at'),
  revokedAt: integer('revoked_at'),
  olderSecrets: json('older_secrets'),
  ...termColumns,
}

/** Part of the transaction of the change, so that whoever sees the new version also sees the change. */
export const countKeyChange = sql`UPDATE versions SET version = version + 1 WHERE name = 'keys'`

/** The part of the store for virtual keys. */
export function keyTable(
  database: Database,
): Pick<Store, 'listKeys' | 'addKey' | 'revokeKey' | 'keysVersion'> {
  return {
    async listKeys() {
      const rows = await database.rows(sql`SELECT * FROM api_keys ORDER BY created_at, id`)
      return rows.map((row) => fromRow(keyColumns, row))
    },
    async addKey(key) {
      const [added] = await database.changeDurably(
        insertNew('api_keys', keyColumns, key),
        countKeyChange,
      )
      if (added !== 1) throw new GatewayError('conflict', 'This key exists already')
    },
    async revokeKey(id, at) {
      const [revoked] = await database.changeDurably(
        sql`UPDATE api_keys SET revoked_at = ${at} WHERE id = ${id} AND revoked_at IS NULL`,
        countKeyChange,
      )
      return revoked === 1
    },
    async keysVersion() {
      const [row] = await database.rows(sql`SELECT version FROM versions WHERE name = 'keys'`)
      return JSON.stringify(row?.['version'])
    },
  }
}
