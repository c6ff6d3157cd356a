import sql, { join, raw } from 'sql-template-tag'
import type { ContentShelf, KeptContent } from '../../ports/content.ts'
import { storableJson } from '../bound-values.ts'
import { boolean, type Columns, fieldsOf, fromRow, integer, text } from './columns.ts'
import type { Database } from '../database.ts'

const columns: Columns<KeptContent> = {
  callId: text('call_id'),
  requestId: text('request_id'),
  keyId: text('key_id'),
  userId: text('user_id'),
  teamId: text('team_id'),
  organizationId: text('organization_id'),
  createdAt: integer('created_at'),
  operation: text('operation'),
  format: text('format'),
  request: text('request'),
  answer: text('answer'),
  requestCut: boolean('request_cut'),
  answerCut: boolean('answer_cut'),
  masked: integer('masked'),
}

/** Rows removed per statement, because each may be large. */
const contentsPerRemoval = 500

/** The part of the store for prompts and responses. */
export function contentTable(database: Database): ContentShelf {
  return {
    add: (documents) =>
      database.append({
        table: 'call_contents',
        columns: fieldsOf(columns),
        documents: documents.map(storableJson),
      }),
    async find(callId) {
      const [row] = await database.rows(sql`SELECT * FROM call_contents WHERE call_id = ${callId}`)
      return row && fromRow(columns, row)
    },
    async list({ from, to, keyId, userId, teamId, limit, after }) {
      const conditions = [
        sql`created_at >= ${Math.max(from, after?.createdAt ?? 0)}`,
        sql`created_at < ${to}`,
        ...(after ? [sql`(created_at > ${after.createdAt} OR call_id > ${after.callId})`] : []),
        ...(keyId === undefined ? [] : [sql`key_id = ${keyId}`]),
        ...(userId === undefined ? [] : [sql`user_id = ${userId}`]),
        ...(teamId === undefined ? [] : [sql`team_id = ${teamId}`]),
      ]
      const rows = await database.rows(
        sql`SELECT * FROM call_contents WHERE ${join(conditions, ' AND ')}
          ORDER BY created_at, call_id LIMIT ${limit}`,
      )
      return rows.map((row) => fromRow(columns, row))
    },
    async forget(before) {
      const [count = 0] = await database.change(
        sql`DELETE FROM call_contents WHERE call_id IN (
          SELECT call_id FROM call_contents WHERE created_at < ${before} LIMIT ${contentsPerRemoval})`,
      )
      return count === contentsPerRemoval
    },
    async erase({ kind, id }) {
      const column = raw(kind === 'user' ? 'user_id' : 'key_id')
      const [count = 0] = await database.change(
        sql`DELETE FROM call_contents WHERE ${column} = ${id}`,
      )
      return count
    },
  }
}
