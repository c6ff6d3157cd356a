import sql, { join, type Sql } from 'sql-template-tag'
import type { RefusalBook, RefusalQuestion, Refusals } from '../../ports/refusals.ts'
import type { Database, Row } from '../database.ts'

/** The part of the store that counts refused calls. */
export function refusalTable(database: Pick<Database, 'rows' | 'change'>): RefusalBook {
  return {
    async add(refusals) {
      if (refusals.length > 0) await database.change(...refusals.map(added))
    },
    async list(question) {
      const rows = await database.rows(
        sql`SELECT * FROM (
            SELECT refusals.*,
              SUM(count) OVER same AS total,
              MIN(hour) OVER same AS first_hour,
              ROW_NUMBER() OVER (PARTITION BY key_id, team_id, operation, code, status ORDER BY hour DESC) AS place
            FROM refusals WHERE ${join(conditions(question), ' AND ')}
            WINDOW same AS (PARTITION BY key_id, team_id, operation, code, status)
          ) AS latest
          WHERE place = 1 ORDER BY total DESC, last_at DESC LIMIT ${question.limit}`,
      )
      return rows.map(read)
    },
    async forget(before) {
      await database.change(sql`DELETE FROM refusals WHERE hour < ${before}`)
    },
  }
}

function added(refused: Refusals): Sql {
  const { hour, keyId, operation, code, status, count, lastAt, message, callId } = refused
  const { teamId = '', userId = null, organizationId = null, model = null } = refused
  return sql`INSERT INTO refusals (hour, key_id, team_id, operation, code, status, user_id, organization_id,
      count, last_at, message, call_id, model)
    VALUES (${hour}, ${keyId}, ${teamId}, ${operation}, ${code}, ${status}, ${userId}, ${organizationId},
      ${count}, ${lastAt}, ${message}, ${callId}, ${model})
    ON CONFLICT (hour, key_id, team_id, operation, code, status) DO UPDATE SET
      count = refusals.count + excluded.count, last_at = excluded.last_at, message = excluded.message,
      call_id = excluded.call_id, model = excluded.model`
}

function conditions(question: RefusalQuestion): readonly Sql[] {
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

function read(row: Row): Refusals {
  const { user_id: userId, team_id: teamId, organization_id: organizationId, model } = row
  return {
    hour: Number(row['first_hour']),
    keyId: String(row['key_id']),
    ...(typeof userId === 'string' && { userId }),
    ...(typeof teamId === 'string' && teamId !== '' && { teamId }),
    ...(typeof organizationId === 'string' && { organizationId }),
    operation: String(row['operation']),
    code: String(row['code']),
    status: Number(row['status']),
    count: Number(row['total']),
    lastAt: Number(row['last_at']),
    message: String(row['message']),
    callId: String(row['call_id']),
    ...(typeof model === 'string' && { model }),
  }
}
