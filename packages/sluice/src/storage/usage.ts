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
import type { NamedRecord } from './usage-journal.ts'
import { type Ledger, type LedgerOptions, openLedger } from './usage-ledger.ts'

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
  unsettled: boolean('unsettled'),
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
  imageOutputTokens: integer('image_output_tokens'),
  billedInputTokens: integer('billed_input_tokens'),
  billedOutputTokens: integer('billed_output_tokens'),
  characters: integer('characters'),
  size: text('size'),
  quality: text('quality'),
  serviceTier: text('service_tier'),
  costMicroUsd: integer('cost_micro_usd'),
  priceSource: text('price_source'),
  priceDate: text('price_date'),
}

/** The part of the store that keeps the ledger. Disposing writes what is left. */
export function usageTable(
  database: Database,
  options: Omit<LedgerOptions, 'write'>,
): Ledger & Pick<Store, 'lastUse' | 'listUsage'> {
  const ledger = openLedger({ ...options, write: (batch) => database.append(rowsOf(batch)) })
  return {
    beginUsage: (begun) => ledger.beginUsage(begun),
    recordUsage: (record, open) => ledger.recordUsage(record, open),
    flush: () => ledger.flush(),
    checkJournal: () => ledger.checkJournal(),
    async lastUse() {
      await ledger.flush()
      const rows = await database.rows(
        sql`SELECT key_id, MAX(started_at) AS last FROM usage_records GROUP BY key_id`,
      )
      return new Map(rows.map((row) => [String(row['key_id']), Number(row['last'])]))
    },
    async listUsage({ limit }) {
      await ledger.flush()
      const rows = await database.rows(
        sql`SELECT * FROM usage_records ORDER BY sequence DESC LIMIT ${limit}`,
      )
      return rows.map((row) => fromRow(columns, row))
    },
    [Symbol.asyncDispose]: () => ledger[Symbol.asyncDispose](),
  }
}

const fields = fieldsOf(columns)
const names = ['id', ...fields.map(([, { column }]) => column)]

/** The unique ids make a batch of which nobody knows whether it was written safe to write again. */
function rowsOf(batch: readonly NamedRecord[]): NewRows {
  return {
    table: 'usage_records',
    columns: names,
    values: batch.map(({ id, record }) => [id, ...valuesOf(record)]),
  }
}

function valuesOf(record: UsageRecord): readonly Value[] {
  const values: Readonly<Record<string, unknown>> = { ...record }
  return fields.map(([field, { as }]) => {
    const value = toValue(as, values[field])
    return typeof value === 'string' ? storable(value) : value
  })
}
