import { GatewayError } from '@sluice/contract'
import sql from 'sql-template-tag'
import type { Store, StoredResponse } from '../ports/store.ts'
import { type Columns, fromRow, insertNew, integer, text } from './columns.ts'
import type { Database } from './database.ts'

const columns: Columns<StoredResponse> = {
  id: text('id'),
  keyId: text('key_id'),
  createdAt: integer('created_at'),
  previousResponseId: text('previous_response_id'),
  provider: text('provider'),
  response: text('response'),
  input: text('input'),
}

/** The part of the store that keeps answers of POST /v1/responses. */
export function responseTable(
  database: Database,
): Pick<Store, 'addResponse' | 'findResponse' | 'deleteResponse'> {
  return {
    async addResponse(response) {
      const [added] = await database.change(insertNew('responses', columns, response))
      if (added !== 1) throw new GatewayError('conflict', 'There is such a response already')
    },
    async findResponse(id) {
      const [row] = await database.rows(sql`SELECT * FROM responses WHERE id = ${id}`)
      return row && fromRow(columns, row)
    },
    async deleteResponse(id) {
      const [deleted] = await database.change(sql`DELETE FROM responses WHERE id = ${id}`)
      return deleted === 1
    },
  }
}
