import { GatewayError } from '@sluice/contract'
import sql, { join, raw } from 'sql-template-tag'
import type {
  ConversationItem,
  ConversationStore,
  StoredConversation,
} from '@sluice/gateway/ports/conversation-store.ts'
import type { Database } from '../database.ts'
import { type Columns, readerOf, textIn } from './columns.ts'

const conversationColumns: Columns<StoredConversation> = {
  id: 'text',
  keyId: 'text',
  createdAt: 'integer',
  metadata: 'json',
  items: 'integer',
  bytes: 'integer',
  tokens: 'integer',
}
const readConversation = readerOf(conversationColumns)
const itemColumns: Columns<ConversationItem> = { id: 'text', item: 'text' }
const readItem = readerOf(itemColumns)

/** The part of the store for conversations. */
export function conversationTable(database: Database): ConversationStore {
  return {
    async addConversation({ id, keyId, createdAt, metadata }, at) {
      const [added] = await database.change(
        sql`INSERT INTO conversations (id, key_id, created_at, used_at, metadata, items, bytes, tokens, last_place)
          VALUES (${id}, ${keyId}, ${Math.round(createdAt)}, ${Math.round(at)}, ${JSON.stringify(metadata)}, 0, 0, 0, 0)
          ON CONFLICT DO NOTHING`,
      )
      if (added !== 1) throw new GatewayError('conflict', 'This conversation exists already')
    },
    async findConversation(id) {
      const [row] = await database.rows(sql`SELECT * FROM conversations WHERE id = ${id}`)
      return row && readConversation(row)
    },
    async updateConversation(id, metadata) {
      const [updated] = await database.change(
        sql`UPDATE conversations SET metadata = ${JSON.stringify(metadata)} WHERE id = ${id}`,
      )
      return updated === 1
    },
    async deleteConversation(id) {
      const [deleted] = await database.change(
        sql`DELETE FROM conversations WHERE id = ${id}`,
        sql`DELETE FROM conversation_items WHERE conversation_id = ${id}`,
      )
      return deleted === 1
    },
    ...items(database),
    ...locks(database),
    async trimConversations(keyId, { count, bytes }) {
      const rows = await database.rows(sql`SELECT id FROM (
          SELECT id, ROW_NUMBER() OVER newest_first AS place, SUM(bytes) OVER newest_first AS total
          FROM conversations WHERE key_id = ${keyId}
          WINDOW newest_first AS (ORDER BY used_at DESC, id ROWS UNBOUNDED PRECEDING)
        ) AS kept WHERE place > ${count} OR total > ${bytes}`)
      if (rows.length === 0) return 0
      const ids = join(rows.map((row) => textIn(row, 'id')))
      const [trimmed = 0] = await database.change(
        sql`DELETE FROM conversations WHERE id IN (${ids})`,
        sql`DELETE FROM conversation_items WHERE conversation_id IN (${ids})`,
      )
      return trimmed
    },
  }
}

type ItemStore = Pick<ConversationStore, 'appendItems' | 'listItems' | 'findItem' | 'deleteItem'>

function items(database: Database): ItemStore {
  return {
    async appendItems(conversationId, { items, tokens, isTotal, at }) {
      const used = isTotal ? sql`${tokens}` : sql`tokens + ${tokens}`
      const changed = await database.change(
        // First, because it lets nobody else number items of this conversation meanwhile.
        sql`UPDATE conversations SET last_place = last_place + ${items.length}, tokens = ${used},
          used_at = ${Math.round(at)} WHERE id = ${conversationId}`,
        ...items.map(
          ({ id, item }, index) =>
            sql`INSERT INTO conversation_items (conversation_id, place, id, item, bytes)
              SELECT id, last_place - ${items.length - 1 - index}, ${id}, ${item}, ${Buffer.byteLength(item)}
              FROM conversations WHERE id = ${conversationId}
              ON CONFLICT DO NOTHING`,
        ),
        counted(conversationId),
      )
      return changed[0] === 1
    },
    async listItems(conversationId, { limit, after, ascending }) {
      const [beyond, order] = ascending ? [raw('>'), raw('ASC')] : [raw('<'), raw('DESC')]
      const place =
        after === undefined
          ? sql``
          : sql`AND place ${beyond} (SELECT place FROM conversation_items
              WHERE conversation_id = ${conversationId} AND id = ${after})`
      const rows = await database.rows(
        sql`SELECT id, item FROM conversation_items WHERE conversation_id = ${conversationId} ${place}
          ORDER BY place ${order} LIMIT ${limit}`,
      )
      return rows.map(readItem)
    },
    async findItem(conversationId, id) {
      const [row] = await database.rows(
        sql`SELECT id, item FROM conversation_items
          WHERE conversation_id = ${conversationId} AND id = ${id}`,
      )
      return row && readItem(row)
    },
    async deleteItem(conversationId, id) {
      const [deleted] = await database.change(
        sql`DELETE FROM conversation_items WHERE conversation_id = ${conversationId} AND id = ${id}`,
        counted(conversationId),
      )
      return deleted === 1
    },
  }
}

/** Counts the items of a conversation again. */
function counted(id: string) {
  return sql`UPDATE conversations SET
    items = (SELECT COUNT(*) FROM conversation_items WHERE conversation_id = ${id}),
    bytes = (SELECT COALESCE(SUM(bytes), 0) FROM conversation_items WHERE conversation_id = ${id})
    WHERE id = ${id}`
}

type LockStore = Pick<
  ConversationStore,
  'lockConversation' | 'renewConversationLock' | 'unlockConversation'
>

function locks(database: Database): LockStore {
  return {
    async lockConversation({ id, owner, at, until }) {
      const [locked] = await database.change(
        sql`UPDATE conversations SET locked_by = ${owner}, locked_until = ${Math.round(until)}
          WHERE id = ${id} AND (locked_until IS NULL OR locked_until <= ${Math.round(at)})`,
      )
      return locked === 1
    },
    async renewConversationLock({ id, owner, until }) {
      await database.change(
        sql`UPDATE conversations SET locked_until = ${Math.round(until)}
          WHERE id = ${id} AND locked_by = ${owner}`,
      )
    },
    async unlockConversation({ id, owner }) {
      await database.change(
        sql`UPDATE conversations SET locked_by = NULL, locked_until = NULL
          WHERE id = ${id} AND locked_by = ${owner}`,
      )
    },
  }
}
