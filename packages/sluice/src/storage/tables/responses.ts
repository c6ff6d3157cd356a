import { GatewayError } from '@sluice/contract'
import sql, { join } from 'sql-template-tag'
import type { Store, StoredResponse, UpstreamId } from '../../ports/store.ts'
import { boolean, type Columns, fromRow, insertNew, integer, text } from './columns.ts'
import type { Database } from '../database.ts'

const columns: Columns<StoredResponse> = {
  id: text('id'),
  keyId: text('key_id'),
  createdAt: integer('created_at'),
  previousResponseId: text('previous_response_id'),
  provider: text('provider'),
  response: text('response'),
  input: text('input'),
}

/** The columns when writing. The size is only used inside the database. */
const writtenColumns: Columns<StoredResponse & { readonly bytes: number }> = {
  ...columns,
  bytes: integer('bytes'),
}

const idColumns: Columns<UpstreamId> = {
  id: text('id'),
  keyId: text('key_id'),
  responseId: text('response_id'),
  deleted: boolean('deleted'),
}

/** The part of the store for responses of POST /v1/responses. */
export function responseTable(
  database: Database,
): Pick<
  Store,
  | 'addResponse'
  | 'findResponse'
  | 'deleteResponse'
  | 'trimResponses'
  | 'addUpstreamIds'
  | 'findUpstreamIds'
> {
  return {
    async addResponse(response, upstreamIds = []) {
      const { id: responseId, keyId } = response
      const ids = newIds(upstreamIds, { keyId, responseId })
      const bytes = Buffer.byteLength(response.response) + Buffer.byteLength(response.input)
      // Timestamps in seconds cannot order the responses of a conversation.
      const sequence = sql`(SELECT COALESCE(MAX(sequence), 0) + 1 FROM responses WHERE key_id = ${keyId})`
      const row = insertNew('responses', writtenColumns, { ...response, bytes }, { sequence })
      const [added] = await database.change(row, ...ids)
      if (added !== 1) throw new GatewayError('conflict', 'This response exists already')
    },
    async findResponse(id) {
      const [row] = await database.rows(sql`SELECT * FROM responses WHERE id = ${id}`)
      return row && fromRow(columns, row)
    },
    async deleteResponse(id) {
      const [deleted] = await database.change(
        sql`DELETE FROM responses WHERE id = ${id}`,
        sql`UPDATE upstream_ids SET deleted = 1 WHERE response_id = ${id}`,
      )
      return deleted === 1
    },
    async trimResponses(keyId, { count, bytes }) {
      const [trimmed] = await database.change(
        sql`DELETE FROM responses WHERE id IN (
          SELECT id FROM (
            SELECT id, ROW_NUMBER() OVER newest_first AS place, SUM(bytes) OVER newest_first AS total
            FROM responses WHERE key_id = ${keyId}
            WINDOW newest_first AS (
              ORDER BY sequence DESC, created_at DESC, id ROWS UNBOUNDED PRECEDING
            )
          ) AS kept WHERE place > ${count} OR total > ${bytes}
        )`,
      )
      return trimmed ?? 0
    },
    async addUpstreamIds(ids, { keyId, source }) {
      await database.change(...newIds(ids, { keyId, responseId: source }))
    },
    async findUpstreamIds(ids) {
      if (ids.length === 0) return []
      const rows = await database.rows(
        sql`SELECT * FROM upstream_ids WHERE id IN (${join([...new Set(ids)])})`,
      )
      return rows.map((row) => fromRow(idColumns, row))
    },
  }
}

function newIds(ids: readonly string[], of: Pick<UpstreamId, 'keyId' | 'responseId'>) {
  return [...new Set(ids)].map((id) =>
    insertNew('upstream_ids', idColumns, { ...of, id, deleted: false }),
  )
}
