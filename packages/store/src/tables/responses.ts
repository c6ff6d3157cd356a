import { GatewayError } from '@sluice/contract'
import sql, { join, type Sql } from 'sql-template-tag'
import type { Store, UpstreamId } from '@sluice/gateway/ports/store.ts'
import type { Database } from '../database.ts'
import { readerOf } from './columns.ts'
import { responseColumns, upstreamIdColumns } from './schema.ts'
import { compiled, tables } from './statements.ts'

const readResponse = readerOf(responseColumns)
const readUpstreamId = readerOf(upstreamIdColumns)

/** The part of the store for responses of POST /v1/responses. What each of these calls runs is written by hand, which takes less time. */
export function responseTable(
  database: Database,
): Pick<
  Store,
  | 'addResponse'
  | 'findResponse'
  | 'deleteResponse'
  | 'trimResponses'
  | 'eraseStored'
  | 'addUpstreamIds'
  | 'findUpstreamIds'
> {
  return {
    async addResponse(response, upstreamIds = []) {
      const { id, keyId, createdAt, previousResponseId = null } = response
      const { provider = null, account = null } = response
      const bytes = Buffer.byteLength(response.response) + Buffer.byteLength(response.input)
      const [added] = await database.changeTogether(
        // Timestamps in seconds cannot order the responses of a conversation, so they are numbered.
        sql`INSERT INTO responses
            (id, key_id, created_at, previous_response_id, provider, account, response, input, bytes, sequence)
          VALUES (${id}, ${keyId}, ${Math.round(createdAt)}, ${previousResponseId}, ${provider}, ${account},
            ${response.response}, ${response.input}, ${bytes},
            (SELECT COALESCE(MAX(sequence), 0) + 1 FROM responses WHERE key_id = ${keyId}))
          ON CONFLICT DO NOTHING`,
        ...newIds(upstreamIds, { keyId, responseId: id, account }),
      )
      if (added !== 1) throw new GatewayError('conflict', 'This response exists already')
    },
    async findResponse(id) {
      const [row] = await database.rows(sql`SELECT * FROM responses WHERE id = ${id}`)
      return row && readResponse(row)
    },
    async deleteResponse(id) {
      const [deleted] = await database.change(
        compiled(tables.deleteFrom('responses').where('id', '=', id)),
        compiled(
          tables.updateTable('upstreamIds').set({ deleted: true }).where('responseId', '=', id),
        ),
      )
      return deleted === 1
    },
    async trimResponses(keyId, { count, bytes }) {
      const [trimmed] = await database.changeTogether(
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
    async eraseStored({ kind, id }) {
      const keys =
        kind === 'key' ? sql`(${id})` : sql`(SELECT id FROM api_keys WHERE owner_id = ${id})`
      const [, conversations = 0, responses = 0] = await database.change(
        sql`DELETE FROM conversation_items WHERE conversation_id IN
          (SELECT id FROM conversations WHERE key_id IN ${keys})`,
        sql`DELETE FROM conversations WHERE key_id IN ${keys}`,
        sql`DELETE FROM responses WHERE key_id IN ${keys}`,
      )
      return conversations + responses
    },
    ...upstreamIds(database),
  }
}

function upstreamIds(database: Database): Pick<Store, 'addUpstreamIds' | 'findUpstreamIds'> {
  return {
    async addUpstreamIds(ids, { keyId, source, account = null }) {
      // Not together with others: on SQLite it is done when this returns, and a caller may use an id as soon as it has seen it.
      await database.change(...newIds(ids, { keyId, responseId: source, account }))
    },
    async findUpstreamIds(ids) {
      if (ids.length === 0) return []
      const rows = await database.rows(
        sql`SELECT * FROM upstream_ids WHERE id IN (${join([...new Set(ids)])})`,
      )
      return rows.map(readUpstreamId)
    },
  }
}

function newIds(
  ids: readonly string[],
  {
    keyId,
    responseId,
    account,
  }: Pick<UpstreamId, 'keyId' | 'responseId'> & { readonly account: string | null },
): readonly Sql[] {
  return [...new Set(ids)].map(
    (id) =>
      sql`INSERT INTO upstream_ids (id, key_id, response_id, deleted, account)
        VALUES (${id}, ${keyId}, ${responseId}, 0, ${account}) ON CONFLICT DO NOTHING`,
  )
}
