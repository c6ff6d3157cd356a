import type { DatabaseSync } from 'node:sqlite'
import { GatewayError, type Store, type StoredResponse } from '@sluice/contract'
import {
  type Columns,
  fieldsOf,
  fromRow,
  number,
  prepareInsert,
  text,
  toValues,
  transaction,
} from './sqlite-rows.ts'

const columns: Columns<StoredResponse> = {
  id: text('id'),
  keyId: text('key_id'),
  createdAt: number('created_at'),
  previousResponseId: text('previous_response_id'),
  provider: text('provider'),
  response: text('response'),
  input: text('input'),
}

const fields = fieldsOf(columns).map(([field]) => field)

/** The part of the store that keeps answers of POST /v1/responses. */
export function responseTable(
  db: DatabaseSync,
): Pick<Store, 'addResponse' | 'findResponse' | 'deleteResponse'> {
  const insert = prepareInsert(db, 'responses', columns)
  const find = db.prepare('SELECT * FROM responses WHERE id = ?')
  const remove = db.prepare('DELETE FROM responses WHERE id = ?')

  return {
    async addResponse(response) {
      transaction(db, () => {
        if (find.get(response.id))
          throw new GatewayError('conflict', 'There is such a response already')
        insert.run(...toValues(columns, response, fields))
      })
    },
    async findResponse(id) {
      const row = find.get(id)
      return row && fromRow(columns, row)
    },
    async deleteResponse(id) {
      return remove.run(id).changes === 1
    },
  }
}
