import { randomUUID } from 'node:crypto'
import type { UsageRecord } from '@sluice/contract'
import sql from 'sql-template-tag'
import type { Store } from '../ports/store.ts'
import {
  boolean,
  type Columns,
  fieldsOf,
  fromRow,
  integer,
  json,
  number,
  text,
  toValue,
} from './columns.ts'
import { storable } from './bound-values.ts'
import type { Database, NewRows, Value } from './database.ts'
import { openUsageQueue, type UsageBatch, type WriteFailed } from './usage-queue.ts'

const columns: Columns<UsageRecord> = {
  callId: text('call_id'),
  requestId: text('request_id'),
  attempt: integer('attempt'),
  keyId: text('key_id'),
  operation: text('operation'),
  provider: text('provider'),
  model: text('model'),
  outcome: text('outcome'),
  reported: boolean('reported'),
  estimated: boolean('estimated'),
  startedAt: integer('started_at'),
  durationMs: number('duration_ms'),
  inputTokens: integer('input_tokens'),
  outputTokens: integer('output_tokens'),
  cachedInputTokens: integer('cached_input_tokens'),
  cacheWriteTokens: integer('cache_write_tokens'),
  longCacheWriteTokens: integer('long_cache_write_tokens'),
  audioInputTokens: integer('audio_input_tokens'),
  imageInputTokens: integer('image_input_tokens'),
  reasoningTokens: integer('reasoning_tokens'),
  audioOutputTokens: integer('audio_output_tokens'),
  seconds: number('seconds'),
  images: integer('images'),
  searchUnits: integer('search_units'),
  serverToolCalls: json('server_tool_calls'),
}

/** The part of the store that keeps the ledger. Disposing writes what is left. */
export function usageTable(
  database: Database,
  writeFailed: WriteFailed,
): Pick<Store, 'recordUsage' | 'flush' | 'lastUse' | 'listUsage'> & AsyncDisposable {
  const queue = openUsageQueue({
    write: (batch) => database.append(rowsOf(batch)),
    writeFailed,
    // Begins with the time, so that a large index of them grows at its end.
    newBatchId: () => `${Date.now().toString(36)}-${randomUUID().slice(0, 13)}-`,
  })
  return {
    recordUsage: (record) => queue.add(record),
    flush: () => queue.flush(),
    async lastUse() {
      await queue.flush()
      const rows = await database.rows(
        sql`SELECT key_id, MAX(started_at) AS last FROM usage_records GROUP BY key_id`,
      )
      return new Map(rows.map((row) => [String(row['key_id']), Number(row['last'])]))
    },
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

const fields = fieldsOf(columns)
const names = ['id', ...fields.map(([, { column }]) => column)]

/** The unique ids make a batch of which nobody knows whether it was written safe to write again. */
function rowsOf({ id, records }: UsageBatch): NewRows {
  return {
    table: 'usage_records',
    columns: names,
    values: records.map((record, place) => [`${id}${place}`, ...valuesOf(record)]),
  }
}

function valuesOf(record: UsageRecord): readonly Value[] {
  const values: Readonly<Record<string, unknown>> = { ...record }
  return fields.map(([field, { as }]) => {
    const value = toValue(as, values[field])
    return typeof value === 'string' ? storable(value) : value
  })
}
