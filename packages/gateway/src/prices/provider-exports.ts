import { setImmediate as nextTurn } from 'node:timers/promises'
import type { OperationName } from '@sluice/contract'
import { isDay } from './calendar-day.ts'
import { type CsvRow as Row, readCsv, UnreadableExport } from './read-csv.ts'

/** A provider's figures for one model on one day. Figures that the export lacks are absent. */
export interface Billed {
  /** YYYY-MM-DD, in UTC. */
  readonly day: string
  /** The model's name as it may be in the ledger; empty if the export does not separate models. */
  readonly model: string
  readonly costUsd?: number
  readonly inputTokens?: number
  readonly outputTokens?: number
}

export interface ProviderExport {
  /** The provider and the kind of export. */
  readonly form: string
  readonly provider: 'openai' | 'anthropic'
  /** The operations it covers; absent if it covers all. */
  readonly operations?: readonly OperationName[]
  readonly rows: readonly Billed[]
}

interface Form extends Omit<ProviderExport, 'rows'> {
  /** Columns that together identify the form. */
  readonly columns: readonly string[]
  readonly read: (row: Row) => Billed
}

/** Columns of exports from autumn 2025 (OpenAI) and 2026 (Anthropic). */
const forms: readonly Form[] = [
  {
    form: 'OpenAI, costs (Usage page, export of costs)',
    provider: 'openai',
    columns: ['start_time_iso', 'amount_value', 'line_item'],
    read: (row) => ({
      day: dayOf(row, 'start_time_iso'),
      // Such as "gpt-5.5-2026-04-23, input": the model and the kind of usage.
      model: (row['line_item'] ?? '').split(',')[0]?.trim() ?? '',
      costUsd: inUsd(row, 'amount_currency', numberOf(row, 'amount_value')),
    }),
  },
  {
    form: 'OpenAI, usage of completions (Usage page, export of activity)',
    provider: 'openai',
    columns: ['start_time_iso', 'num_model_requests', 'input_tokens', 'output_tokens'],
    // Embeddings, images and audio have separate exports.
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
      // Such as "Claude Haiku 4.5": the displayed name, not the one used in requests.
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

/** Cache reads and writes are part of the input in the ledger. */
const anthropicInput = [
  'usage_input_tokens_no_cache',
  'usage_input_tokens_cache_write_5m',
  'usage_input_tokens_cache_write_1h',
  'usage_input_tokens_cache_read',
]

/** Characters per turn of the event loop, which takes a few milliseconds to read. */
const piecesInTurn = /[^]{1,65536}/gu

/** Splits a text into pieces, with a turn of the event loop after each. */
export async function* inTurns(text: string): AsyncGenerator<string, void> {
  for (const [piece] of text.matchAll(piecesInTurn)) {
    yield piece
    await nextTurn()
  }
}

/**
 * Reads a provider's export, recognized by its columns. Only sums and the current piece are held in memory.
 *
 * @throws UnreadableExport if no form has these columns, or if a value does not fit its column.
 */
export async function readExport(
  pieces: AsyncIterable<string> | Iterable<string>,
): Promise<ProviderExport> {
  const sums = new Map<string, Billed>()
  let found: Form | undefined
  for await (const row of readCsv(pieces)) {
    found ??= formOf(Object.keys(row))
    // Days without usage are rows without values.
    if (!found.columns.some((column) => column !== 'start_time_iso' && row[column] !== '')) continue
    const billed = found.read(row)
    const name = `${billed.day} ${billed.model}`
    const before = sums.get(name)
    sums.set(name, before ? added(before, billed) : billed)
  }
  const { form, provider, operations } = found ?? formOf([])
  return { form, provider, ...(operations && { operations }), rows: [...sums.values()] }
}

function formOf(names: readonly string[]): Form {
  const found = forms.find(({ columns }) => columns.every((column) => names.includes(column)))
  if (found) return found
  const known = forms.map(({ form, columns }) => `${form}: ${columns.join(', ')}`).join('\n  ')
  throw new UnreadableExport(
    `This export is not known; its columns are ${names.join(', ').slice(0, 500) || '(none)'}. Known are\n  ${known}`,
  )
}

function added(one: Billed, other: Billed): Billed {
  const sum = (name: 'costUsd' | 'inputTokens' | 'outputTokens') => {
    const value = other[name]
    return value === undefined ? {} : { [name]: (one[name] ?? 0) + value }
  }
  return { ...one, ...sum('costUsd'), ...sum('inputTokens'), ...sum('outputTokens') }
}

/** Days in another time zone span two UTC days, by which the ledger is summed, so they are refused. */
function dayOf(row: Row, column: string): string {
  const value = row[column] ?? ''
  const [, day = '', zone] = /^(.{10})(?:[T ][\d:.]+ ?(.*))?$/.exec(value.trim()) ?? []
  if (!isDay(day)) throw new UnreadableExport(`${column} is not a day: ${value}`)
  if (zone !== undefined && !/^(?:|Z|UTC|[+-]00(?::?00)?)$/.test(zone))
    throw new UnreadableExport(`${column} is not in UTC: ${value}`)
  return day
}

/** The ledger is in US dollars, and exchange rates are unknown here, so other currencies are refused. */
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
