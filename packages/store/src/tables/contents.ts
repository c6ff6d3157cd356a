import type { ContentStore } from '@sluice/gateway/ports/content.ts'
import { storableJson } from '../bound-values.ts'
import type { Database } from '../database.ts'
import { fieldsOf } from './columns.ts'
import { contentColumns } from './schema.ts'
import { compiled, select, tables } from './statements.ts'

/** Rows removed per statement, because each may be large. */
const contentsPerRemoval = 500

/** The part of the store for prompts and responses. */
export function contentTable(database: Database): ContentStore {
  const contents = tables.selectFrom('callContents').selectAll()
  return {
    add: (documents) =>
      database.append({
        table: 'call_contents',
        columns: fieldsOf(contentColumns),
        documents: documents.map(storableJson),
      }),
    async find(callId) {
      const [found] = await select(database, contentColumns, contents.where('callId', '=', callId))
      return found
    },
    list({ from, to, keyId, userId, teamId, limit, after }) {
      let page = contents
        .where('createdAt', '>=', Math.max(from, after?.createdAt ?? 0))
        .where('createdAt', '<', to)
        .where((content) =>
          content.and({
            ...(keyId !== undefined && { keyId }),
            ...(userId !== undefined && { userId }),
            ...(teamId !== undefined && { teamId }),
          }),
        )
      if (after)
        page = page.where((content) =>
          content.or([
            content('createdAt', '>', after.createdAt),
            content('callId', '>', after.callId),
          ]),
        )
      return select(
        database,
        contentColumns,
        page.orderBy('createdAt').orderBy('callId').limit(limit),
      )
    },
    async forget(before) {
      const old = tables.selectFrom('callContents').select('callId')
      const [count = 0] = await database.change(
        compiled(
          tables
            .deleteFrom('callContents')
            .where('callId', 'in', old.where('createdAt', '<', before).limit(contentsPerRemoval)),
        ),
      )
      return count === contentsPerRemoval
    },
    async erase({ kind, id }) {
      const column = kind === 'user' ? 'userId' : 'keyId'
      const [count = 0] = await database.change(
        compiled(tables.deleteFrom('callContents').where(column, '=', id)),
      )
      return count
    },
  }
}
