import { randomUUID } from 'node:crypto'
import type { UsageRecord } from '@sluice/contract'
import sql, { raw, type Sql } from 'sql-template-tag'
import type { Store } from '../ports/store.ts'
import {
  boolean,
  type Column,
  type Columns,
  fieldsOf,
  fromRow,
  integer,
  number,
  text,
} from './columns.ts'
import { storable } from './bound-values.ts'
import type { Database, Dialect } from './database.ts'
import { openUsageQueue, type UsageBatch, type WriteFailed } from './usage-queue.ts'

const columns: Columns<UsageRecord> = {
  callId: text('call_id'),
  attempt: integer('attempt'),
  keyId: text('key_id'),
  operation: text('operation'),
  provider: text('provider'),
  model: text('model'),
  outcome: text('outcome'),
  reported: boolean('reported'),
  startedAt: integer('started_at'),
  durationMs: number('duration_ms'),
  inputTokens: integer('input_tokens'),
  outputTokens: integer('output_tokens'),
  cachedInputTokens: integer('cached_input_tokens'),
  cacheWriteTokens: integer('cache_write_tokens'),
  audioInputTokens: integer('audio_input_tokens'),
  imageInputTokens: integer('image_input_tokens'),
  reasoningTokens: integer('reasoning_tokens'),
  audioOutputTokens: integer('audio_output_tokens'),
  seconds: number('seconds'),
  images: integer('images'),
  searchUnits: integer('search_units'),
}

/** The part of the store that keeps the ledger. Disposing writes what is left. */
export function usageTable(
  database: Database,
  writeFailed: WriteFailed,
): Pick<Store, 'recordUsage' | 'flush' | 'listUsage'> & AsyncDisposable {
  const queue = openUsageQueue({
    write: (batch) => database.changeAside(insertBatch(batch, database.dialect)),
    writeFailed,
    // Begins with the time, so that a large index of them grows at its end.
    newBatchId: () => `${Date.now().toString(36)}-${randomUUID().slice(0, 13)}-`,
  })
  return {
    recordUsage: (record) => queue.add(record),
    flush: () => queue.flush(),
    async listUsage({ limit }) {
      await queue.flush()
      const rows = await database.rows(
        sql`SELECT * FROM usage_records ORDER BY sequence DESC LIMIT ${limit}`,
      )
      return rows.map((row) => fromRow(columns, row))
    },
    [Symbol.asyncDispose]: () => queue[Symbol.asyncDispose](),
  }
}

const names = fieldsOf(columns).map(([, { column }]) => column)

/**
 * One statement for any number of records. They travel as one JSON text, which costs this thread less than binding each
 * value. The unique ids make a batch of which nobody knows whether it was written safe to write again.
 */
function insertBatch({ id, records }: UsageBatch, dialect: Dialect): Sql {
  const values = fieldsOf(columns).map(([field, { as }]) => valueOf(field, as, dialect))
  return sql`INSERT INTO usage_records (id, ${raw(names.join(', '))})
    SELECT CAST(${id} AS TEXT) || key, ${raw(values.join(', '))}
    FROM ${dialect.elements(formatRecords(records))} WHERE true
    ON CONFLICT DO NOTHING`
}

function valueOf(field: string, as: Column['as'], { fromText }: Dialect): string {
  const found = `(value ->> '${field}')`
  return as === 'text' || as === 'json' ? found : fromText[as](found)
}

function formatRecords(records: readonly UsageRecord[]): string {
  const json = JSON.stringify(records)
  // Seldom: names that no database takes, as a caller may write them.
  if (!/\\u(?:0000|d[89a-f])/.test(json)) return json
  return JSON.stringify(records, (_, value: unknown) =>
    typeof value === 'string' ? storable(value) : value,
  )
}
