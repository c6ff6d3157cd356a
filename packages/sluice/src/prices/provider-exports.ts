import { setImmediate as nextTurn } from 'node:timers/promises'
import type { OperationName } from '@sluice/contract'
import { isDay } from './calendar-day.ts'
import { type CsvRow as Row, readCsv, UnreadableTable } from './read-csv.ts'

/** A text that is no export of a provider's that is known; the message says why. */
export class UnreadableExport extends Error {
  override readonly name = 'UnreadableExport'
}

/** What a provider says of one model on one day. What its export does not tell is absent. */
export interface Billed {
  /** YYYY-MM-DD, in UTC. */
  readonly day: string
  /** As the ledger may have it; empty where the export does not tell models apart. */
  readonly model: string
  readonly costUsd?: number
  readonly inputTokens?: number
  readonly outputTokens?: number
}

export interface ProviderExport {
  /** Whose it is and what it holds. */
  readonly form: string
  readonly provider: 'openai' | 'anthropic'
  /** What it tells of; absent where that is everything. */
  readonly operations?: readonly OperationName[]
  readonly rows: readonly Billed[]
}

interface Form extends Omit<ProviderExport, 'rows'> {
  /** Columns that no other form has together. */
  readonly columns: readonly string[]
  readonly read: (row: Row) => Billed
}

/** The columns are those of exports of autumn 2025 (OpenAI) and of 2026 (Anthropic). */
const forms: readonly Form[] = [
  {
    form: 'OpenAI, costs (Usage page, export of costs)',
    provider: 'openai',
    columns: ['start_time_iso', 'amount_value', 'line_item'],
    read: (row) => ({
      day: dayOf(row, 'start_time_iso'),
      // "gpt-4o-2024-08-06, input": what is billed, by model and kind.
      model: (row['line_item'] ?? '').split(',')[0]?.trim() ?? '',
      costUsd: inUsd(row, 'amount_currency', numberOf(row, 'amount_value')),
    }),
  },
  {
    form: 'OpenAI, usage of completions (Usage page, export of activity)',
    provider: 'openai',
    columns: ['start_time_iso', 'num_model_requests', 'input_tokens', 'output_tokens'],
    // Embeddings, images and sound have exports of their own.
    operations: ['chat', 'complete'],
    read: (row) => ({
      day: dayOf(row, 'start_time_iso'),
      model: row['model'] ?? '',
      inputTokens: numberOf(row, 'input_tokens'),
      outputTokens: numberOf(row, 'output_tokens'),
    }),
  },
  {
    form: 'Anthropic, cost (Console, Cost page)',
    provider: 'anthropic',
    columns: ['usage_date_utc', 'model', 'cost_usd'],
    read: (row) => ({
      day: dayOf(row, 'usage_date_utc'),
      // "Claude Haiku 4.5": the name that is shown, and not the one that is asked for.
      model: (row['model'] ?? '').toLowerCase().replace(/[\s.]+/g, '-'),
      costUsd: numberOf(row, 'cost_usd'),
    }),
  },
  {
    form: 'Anthropic, usage (Console, Usage page)',
    provider: 'anthropic',
    columns: [
      'usage_date_utc',
      'model_version',
      'usage_input_tokens_no_cache',
      'usage_output_tokens',
    ],
    read: (row) => ({
      day: dayOf(row, 'usage_date_utc'),
      model: row['model_version'] ?? '',
      inputTokens: anthropicInput.reduce((sum, name) => sum + numberOf(row, name), 0),
      outputTokens: numberOf(row, 'usage_output_tokens'),
    }),
  },
]

/** What was read from a cache and written to one is input in the ledger. */
const anthropicInput = [
  'usage_input_tokens_no_cache',
  'usage_input_tokens_cache_write_5m',
  'usage_input_tokens_cache_write_1h',
  'usage_input_tokens_cache_read',
]

/** So much is read before anything else has its turn: some milliseconds. */
const unitsPerTurn = 64 * 1024

/** A text in pieces that `readExport` reads in a turn each. */
export function* inTurns(text: string): Generator<string> {
  for (let from = 0; from < text.length; from += unitsPerTurn)
    yield text.slice(from, from + unitsPerTurn)
}

/**
 * Reads an export of a provider's, which its columns tell. Of it nothing is held but sums and the piece that is read.
 *
 * @throws UnreadableExport where no form has these columns, or a value is not what its column says.
 */
export async function readExport(
  pieces: AsyncIterable<string> | Iterable<string>,
): Promise<ProviderExport> {
  const sums = new Map<string, Billed>()
  let found: Form | undefined
  for await (const rows of pagesIn(pieces)) {
    for (const row of rows) {
      found ??= formOf(Object.keys(row))
      // Days without anything are rows without a value.
      if (!found.columns.some((column) => column !== 'start_time_iso' && row[column] !== ''))
        continue
      const billed = found.read(row)
      const name = `${billed.day} ${billed.model}`
      const before = sums.get(name)
      // Its texts are parts of a piece, and would keep all of it.
      sums.set(name, before ? added(before, billed) : structuredClone(billed))
    }
    await nextTurn()
  }
  const { form, provider, operations } = found ?? formOf([])
  return { form, provider, ...(operations && { operations }), rows: [...sums.values()] }
}

function formOf(names: readonly string[]): Form {
  const found = forms.find(({ columns }) => columns.every((column) => names.includes(column)))
  if (found) return found
  const known = forms.map(({ form, columns }) => `${form}: ${columns.join(', ')}`).join('\n  ')
  throw new UnreadableExport(
    `This is no export that is known; its columns are ${names.join(', ').slice(0, 500) || '(none)'}. Known are\n  ${known}`,
  )
}

async function* pagesIn(
  pieces: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<readonly Row[], void> {
  try {
    yield* readCsv(pieces)
  } catch (cause) {
    if (cause instanceof UnreadableTable) throw new UnreadableExport(cause.message, { cause })
    throw cause
  }
}

function added(one: Billed, other: Billed): Billed {
  const sum = (name: 'costUsd' | 'inputTokens' | 'outputTokens') => {
    const value = other[name]
    return value === undefined ? {} : { [name]: (one[name] ?? 0) + value }
  }
  return { ...one, ...sum('costUsd'), ...sum('inputTokens'), ...sum('outputTokens') }
}

/** A day of another time zone has hours of two days in UTC, by which the ledger is summed. */
function dayOf(row: Row, column: string): string {
  const value = row[column] ?? ''
  const [, day = '', zone] = /^(.{10})(?:[T ][\d:.]+ ?(.*))?$/.exec(value.trim()) ?? []
  if (!isDay(day)) throw new UnreadableExport(`${column} is not a day: ${value}`)
  if (zone !== undefined && !/^(?:|Z|UTC|[+-]00(?::?00)?)$/.test(zone))
    throw new UnreadableExport(`${column} is not in UTC: ${value}`)
  return day
}

/** The ledger is in US dollars, and nobody here knows what another currency was worth on that day. */
function inUsd(row: Row, column: string, amount: number): number {
  const currency = row[column] ?? ''
  if (/^(?:usd)?$/i.test(currency.trim())) return amount
  throw new UnreadableExport(`${column} is not usd: ${currency}`)
}

function numberOf(row: Row, column: string): number {
  const value = Number(row[column] ?? '')
  if (!Number.isFinite(value))
    throw new UnreadableExport(`${column} is not a number: ${row[column]}`)
  return value
}
