import type { DatabaseSync } from 'node:sqlite'
import { type ApiKey, GatewayError, type Store } from '@sluice/contract'
import {
  type Columns,
  durably,
  fieldsOf,
  fromRow,
  json,
  number,
  prepareInsert,
  text,
  toValues,
} from './sqlite-rows.ts'

const columns: Columns<ApiKey> = {
  id: text('id'),
  name: text('name'),
  hash: text('hash'),
  role: text('role'),
  prefix: text('prefix'),
  requestsPerMinute: number('requests_per_minute'),
  models: json('models'),
  createdAt: number('created_at'),
  expiresAt: number('expires_at'),
  revokedAt: number('revoked_at'),
}

const fields = fieldsOf(columns).map(([field]) => field)

/** The part of the store that keeps virtual keys. */
export function keyTable(
  db: DatabaseSync,
): Pick<Store, 'listKeys' | 'addKey' | 'revokeKey' | 'keysVersion'> {
  const list = db.prepare('SELECT * FROM api_keys ORDER BY created_at, id')
  const known = db.prepare('SELECT 1 FROM api_keys WHERE id = ? OR hash = ?')
  const insert = prepareInsert(db, 'api_keys', columns)
  const revoke = db.prepare(
    'UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL',
  )
  // Changes when any other connection has committed something; our own changes are counted beside it.
  const foreign = db.prepare('PRAGMA data_version')
  let own = 0

  return {
    async listKeys() {
      return list.all().map((row) => fromRow(columns, row))
    },
    async addKey(key) {
      durably(db, () => {
        if (known.get(key.id, key.hash))
          throw new GatewayError('conflict', 'There is such a key already')
        insert.run(...toValues(columns, key, fields))
      })
      own++
    },
    async revokeKey(id, at) {
      const changed = durably(db, () => revoke.run(at, id).changes) === 1
      own++
      return changed
    },
    async keysVersion() {
      return `${own}.${String(foreign.get()?.['data_version'])}`
    },
  }
}
