import type { DatabaseSync } from 'node:sqlite'
import type { Store, UsageRecord } from '@sluice/contract'
import {
  boolean,
  type Columns,
  fieldsOf,
  fromRow,
  number,
  prepareInsert,
  text,
  toValues,
  transaction,
} from './sqlite-rows.ts'

const columns: Columns<UsageRecord> = {
  callId: text('call_id'),
  attempt: number('attempt'),
  keyId: text('key_id'),
  operation: text('operation'),
  provider: text('provider'),
  model: text('model'),
  outcome: text('outcome'),
  reported: boolean('reported'),
  startedAt: number('started_at'),
  durationMs: number('duration_ms'),
  inputTokens: number('input_tokens'),
  outputTokens: number('output_tokens'),
  cachedInputTokens: number('cached_input_tokens'),
  cacheWriteTokens: number('cache_write_tokens'),
  audioInputTokens: number('audio_input_tokens'),
  imageInputTokens: number('image_input_tokens'),
  reasoningTokens: number('reasoning_tokens'),
  audioOutputTokens: number('audio_output_tokens'),
  seconds: number('seconds'),
  images: number('images'),
  searchUnits: number('search_units'),
}

const fields = fieldsOf(columns).map(([field]) => field)

const writeEveryMs = 50
/** One transaction holds the event loop for about 5 µs a row. */
const rowsPerWriteMax = 500
/** Only reached when the disk has refused every write for a while; then the oldest go, and are counted. */
const rowsKeptMax = 100_000

/** What the ledger says when it could not write. Called at most once per failing write. */
export type WriteFailed = (error: unknown, rowsWaiting: number, rowsLost: number) => void

export interface UsageLedger extends Pick<Store, 'recordUsage' | 'flush' | 'listUsage'> {
  /** Stops the timer. Rows that are still waiting must be flushed before. */
  stop(): void
}

/** The part of the store that keeps the ledger: appended in memory, written by the dozen. */
export function usageTable(db: DatabaseSync, writeFailed: WriteFailed): UsageLedger {
  const insert = prepareInsert(db, 'usage_records', columns)
  const list = db.prepare('SELECT * FROM usage_records ORDER BY sequence DESC LIMIT ?')
  let waiting: UsageRecord[] = []
  let lost = 0
  let timer: NodeJS.Timeout | undefined

  function writeSome(): void {
    const rows = waiting.slice(0, rowsPerWriteMax)
    if (rows.length === 0) return
    const refused: unknown[] = []
    transaction(db, () => {
      for (const row of rows) {
        try {
          insert.run(...toValues(columns, row, fields))
        } catch (error) {
          // A row that breaks a constraint never gets better, and must not hold up those behind it.
          if (!isConstraintFailure(error)) throw error
          refused.push(error)
        }
      }
    })
    waiting = waiting.slice(rows.length)
    lost += refused.length
    if (refused.length > 0) writeFailed(refused[0], waiting.length, lost)
  }

  function schedule(): void {
    timer ??= setTimeout(() => {
      timer = undefined
      try {
        writeSome()
      } catch (error) {
        const excess = Math.max(0, waiting.length - rowsKeptMax)
        waiting = waiting.slice(excess)
        lost += excess
        writeFailed(error, waiting.length, lost)
      }
      if (waiting.length > 0) schedule()
    }, writeEveryMs).unref()
  }

  function writeAll(): void {
    while (waiting.length > 0) writeSome()
  }

  return {
    recordUsage(record) {
      waiting.push(record)
      schedule()
    },
    async flush() {
      writeAll()
    },
    async listUsage({ limit }) {
      writeAll()
      return list.all(limit).map((row) => fromRow(columns, row))
    },
    stop() {
      clearTimeout(timer)
    },
  }
}

/** SQLite's primary result code 19 (https://sqlite.org/rescode.html); the upper bits tell which constraint it was. */
function isConstraintFailure(error: unknown): boolean {
  if (!(error instanceof Error) || !('errcode' in error)) return false
  return typeof error.errcode === 'number' && (error.errcode & 0xff) === 19
}
