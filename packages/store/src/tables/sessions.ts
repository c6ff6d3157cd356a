import type { Store } from '@sluice/gateway/ports/store.ts'
import type { Database } from '../database.ts'
import { sessionColumns } from './schema.ts'
import { compiled, pickColumns, select, tables } from './statements.ts'

/** The part of the store for sessions. */
export function sessionTable(
  database: Database,
): Pick<Store, 'addSession' | 'findSession' | 'listPrincipalSessions' | 'removeSession'> {
  const sessions = tables.selectFrom('sessions').selectAll()
  return {
    async addSession(session) {
      await database.change(
        compiled(tables.deleteFrom('sessions').where('expiresAt', '<=', session.createdAt)),
        compiled(tables.insertInto('sessions').values(pickColumns(sessionColumns, session))),
      )
    },
    async findSession(hash) {
      const [found] = await select(database, sessionColumns, sessions.where('hash', '=', hash))
      return found
    },
    listPrincipalSessions: () =>
      select(database, sessionColumns, sessions.where('principal', 'is not', null)),
    async removeSession(hash) {
      const [removed] = await database.changeDurably(
        compiled(tables.deleteFrom('sessions').where('hash', '=', hash)),
      )
      return removed === 1
    },
  }
}
