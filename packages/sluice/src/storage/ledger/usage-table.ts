import type { UsageRecord } from '@sluice/contract'
import sql from 'sql-template-tag'
import type { Store } from '../../ports/store.ts'
import {
  boolean,
  type Columns,
  fieldsOf,
  fromRow,
  integer,
  json,
  number,
  text,
} from '../tables/columns.ts'
import type { Database } from '../database.ts'
import { forgetWriters } from './writers.ts'
import { type Ledger, type LedgerOptions, openLedger } from './ledger.ts'
import { orphanedOf } from './orphaned-reservations.ts'
import { readState } from '../usage/state.ts'

/** The columns of a usage record. */
export const usageColumns: Columns<UsageRecord> = {
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
  cachedAudioInputTokens: integer('cached_audio_input_tokens'),
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
  chargedUsd: number('charged_usd'),
  costMicroUsd: integer('cost_micro_usd'),
  costRestPicoUsd: integer('cost_rest_pico_usd'),
  priceSource: text('price_source'),
  priceDate: text('price_date'),
  userId: text('user_id'),
  teamId: text('team_id'),
  organizationId: text('organization_id'),
  tags: json('tags'),
  clientAddress: text('client_address'),
  format: text('format'),
  streamed: boolean('streamed'),
  requestedModel: text('requested_model'),
  firstTokenMs: integer('first_token_ms'),
  status: integer('status'),
  errorCode: text('error_code'),
  reason: text('reason'),
  upstreamStatus: integer('upstream_status'),
  upstreamRequestId: text('upstream_request_id'),
  dropped: json('dropped'),
  reservedMicroUsd: integer('reserved_micro_usd'),
  reservedRestPicoUsd: integer('reserved_rest_pico_usd'),
  overBudget: text('over_budget'),
}

/** The part of the store for the ledger. Disposing writes pending records. */
export function usageTable(
  database: Database,
  options: Omit<LedgerOptions, 'write' | 'orphanedOf' | 'recovered'>,
): Ledger & Pick<Store, 'lastUse' | 'listUsage'> {
  const ledger = openLedger({
    ...options,
    write: (batch) => database.append({ ...table, documents: batch }),
    orphanedOf: (calls) => orphanedOf(database, calls),
    recovered: (journal) => forgetWriters(database, [journal]),
  })
  return {
    journalName: ledger.journalName,
    beginUsage: (begun, reservation) => ledger.beginUsage(begun, reservation),
    recordUsage: (record) => ledger.recordUsage(record),
    recorded: () => ledger.recorded(),
    flush: () => ledger.flush(),
    checkJournal: () => ledger.checkJournal(),
    waitingUsage: () => ledger.waitingUsage(),
    settleOrphaned: (settle) => ledger.settleOrphaned(settle),
    async lastUse() {
      await ledger.flush()
      const { folded, rebuiltTo } = await readState(database)
      const rows = await database.rows(
        sql`SELECT key_id, MAX(used_at) AS last FROM (
          SELECT key_id, last_used_at AS used_at FROM key_uses UNION ALL
          SELECT key_id, started_at AS used_at FROM usage_records WHERE sequence > ${Math.max(folded, rebuiltTo)}
        ) AS uses GROUP BY key_id`,
      )
      return new Map(rows.map((row) => [String(row['key_id']), Number(row['last'])]))
    },
    async listUsage({ limit }) {
      await ledger.flush()
      const rows = await database.rows(
        sql`SELECT * FROM usage_records ORDER BY sequence DESC LIMIT ${limit}`,
      )
      return rows.map((row) => fromRow(usageColumns, row))
    },
    [Symbol.asyncDispose]: () => ledger[Symbol.asyncDispose](),
  }
}

/** Unique ids make it safe to write a batch again if it is unknown whether it was written. */
const table = {
  table: 'usage_records',
  columns: [['id', text('id')] as const, ...fieldsOf(usageColumns)],
} as const
