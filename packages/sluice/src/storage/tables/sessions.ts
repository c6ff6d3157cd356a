import sql from 'sql-template-tag'
import type { Session } from '../../ports/session.ts'
import type { Store } from '../../ports/store.ts'
import { type Columns, fromRow, insert, integer, json, text } from './columns.ts'
import type { Database } from '../database.ts'

const sessionColumns: Columns<Session> = {
  hash: text('hash'),
  keyHash: text('key_hash'),
  principal: json('principal'),
  createdAt: integer('created_at'),
  expiresAt: integer('expires_at'),
}

/** The part of the store for sessions. */
export function sessionTable(
  database: Database,
): Pick<Store, 'addSession' | 'findSession' | 'listPrincipalSessions' | 'removeSession'> {
  return {
    async addSession(session) {
      await database.change(
        sql`DELETE FROM sessions WHERE expires_at <= ${session.createdAt}`,
        insert('sessions', sessionColumns, session),
      )
    },
    async findSession(hash) {
      const [row] = await database.rows(sql`SELECT * FROM sessions WHERE hash = ${hash}`)
      return row && fromRow(sessionColumns, row)
    },
    async listPrincipalSessions() {
      const rows = await database.rows(sql`SELECT * FROM sessions WHERE principal IS NOT NULL`)
      return rows.map((row) => fromRow(sessionColumns, row))
    },
    async removeSession(hash) {
      const [removed] = await database.changeDurably(sql`DELETE FROM sessions WHERE hash = ${hash}`)
      return removed === 1
    },
  }
}
