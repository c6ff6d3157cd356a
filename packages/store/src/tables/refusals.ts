import sql, { join, type Sql } from 'sql-template-tag'
import type { RefusalQuery, RefusalSearch, RefusalStore } from '@sluice/gateway/ports/refusals.ts'
import type { Database } from '../database.ts'
import { readerOf } from './columns.ts'
import { keptRefusalColumns, refusalColumns } from './schema.ts'
import { compiled, pickColumns, select, tables } from './statements.ts'

/** The part of the store that counts refused calls and keeps some of them. */
export function refusalTable(database: Pick<Database, 'rows' | 'change'>): RefusalStore {
  return {
    async add(refusals) {
      const added = refusals.map(({ teamId = '', ...refused }) =>
        tables
          .insertInto('refusals')
          .values({ ...pickColumns(refusalColumns, refused), teamId })
          .onConflict((conflict) =>
            conflict
              .columns(['hour', 'keyId', 'teamId', 'operation', 'code', 'status'])
              .doUpdateSet((row) => ({
                count: row('refusals.count', '+', row.ref('excluded.count')),
                lastAt: row.ref('excluded.lastAt'),
                message: row.ref('excluded.message'),
                callId: row.ref('excluded.callId'),
                model: row.ref('excluded.model'),
              })),
          ),
      )
      if (added.length > 0) await database.change(...added.map(compiled))
    },
    async list(question) {
      const rows = await database.rows(
        sql`SELECT first_hour AS hour, key_id, NULLIF(team_id, '') AS team_id, user_id, organization_id, operation,
            code, status, CAST(total AS BIGINT) AS count, last_at, message, call_id, model
          FROM (
            SELECT refusals.*,
              SUM(count) OVER same AS total,
              MIN(hour) OVER same AS first_hour,
              ROW_NUMBER() OVER (PARTITION BY key_id, team_id, operation, code, status ORDER BY hour DESC) AS place
            FROM refusals WHERE ${join(conditions(question), ' AND ')}
            WINDOW same AS (PARTITION BY key_id, team_id, operation, code, status)
          ) AS latest
          WHERE place = 1 ORDER BY total DESC, last_at DESC LIMIT ${question.limit}`,
      )
      return rows.map(readerOf(refusalColumns))
    },
    async keep(refusals) {
      const added = refusals.map((refused) =>
        tables
          .insertInto('keptRefusals')
          .values(pickColumns(keptRefusalColumns, refused))
          .onConflict((conflict) => conflict.doNothing()),
      )
      if (added.length > 0) await database.change(...added.map(compiled))
    },
    search: (question) => select(database, keptRefusalColumns, searched(question)),
    async forgetKept(before) {
      await database.change(compiled(tables.deleteFrom('keptRefusals').where('at', '<', before)))
    },
    async forget(before) {
      await database.change(compiled(tables.deleteFrom('refusals').where('hour', '<', before)))
    },
  }
}

function searched({ from, to, id, status, before, limit, ...only }: RefusalSearch) {
  let found = tables
    .selectFrom('keptRefusals')
    .selectAll()
    .where('at', '>=', from)
    .where('at', '<', to)
    .where((row) => row.and(only))
  if (id !== undefined)
    found = found.where((row) => row.or([row('callId', '=', id), row('requestId', '=', id)]))
  if (status) found = found.where('status', '>=', status[0]).where('status', '<=', status[1])
  if (before)
    found = found.where((row) =>
      row.or([
        row('at', '<', before.at),
        row.and([row('at', '=', before.at), row('callId', '<', before.callId)]),
      ]),
    )
  return found.orderBy('at', 'desc').orderBy('callId', 'desc').limit(limit)
}

function conditions(question: RefusalQuery): readonly Sql[] {
  const { from, to, keyId, userId, teamId, organizationId, operation } = question
  return [
    sql`hour >= ${from}`,
    sql`hour < ${to}`,
    ...(keyId === undefined ? [] : [sql`key_id = ${keyId}`]),
    ...(userId === undefined ? [] : [sql`user_id = ${userId}`]),
    ...(teamId === undefined ? [] : [sql`team_id = ${teamId}`]),
    ...(organizationId === undefined ? [] : [sql`organization_id = ${organizationId}`]),
    ...(operation === undefined ? [] : [sql`operation = ${operation}`]),
  ]
}
