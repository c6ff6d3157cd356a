import { readCsv } from './read-csv.ts'

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
  readonly rows: readonly Billed[]
}

type Row = Readonly<Record<string, string>>

interface Form extends Pick<ProviderExport, 'form' | 'provider'> {
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
      costUsd: numberOf(row, 'amount_value'),
    }),
  },
  {
    form: 'OpenAI, usage of completions (Usage page, export of activity)',
    provider: 'openai',
    columns: ['start_time_iso', 'num_model_requests', 'input_tokens', 'output_tokens'],
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
    columns: ['usage_date_utc', 'model_version', 'usage_input_tokens_no_cache'],
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

/**
 * Reads an export of a provider's, which its columns tell.
 *
 * @throws UnreadableExport where no form has these columns, or a value is not what its column says.
 */
export function readExport(text: string): ProviderExport {
  const rows = readCsv(text)
  const names = Object.keys(rows[0] ?? {})
  const found = forms.find(({ columns }) => columns.every((column) => names.includes(column)))
  if (!found) {
    const known = forms.map(({ form, columns }) => `${form}: ${columns.join(', ')}`).join('\n  ')
    throw new UnreadableExport(
      `This is no export that is known; its columns are ${names.join(', ').slice(0, 500) || '(none)'}. Known are\n  ${known}`,
    )
  }
  const { form, provider, read } = found
  // Days without anything are rows without a value.
  const said = rows.filter((row) =>
    found.columns.some((column) => column !== 'start_time_iso' && row[column] !== ''),
  )
  return { form, provider, rows: summed(said.map((row) => read(row))) }
}

function summed(rows: readonly Billed[]): readonly Billed[] {
  const sums = new Map<string, Billed>()
  for (const row of rows) {
    const name = `${row.day} ${row.model}`
    const before = sums.get(name)
    sums.set(name, before ? added(before, row) : row)
  }
  return [...sums.values()]
}

function added(one: Billed, other: Billed): Billed {
  const sum = (name: 'costUsd' | 'inputTokens' | 'outputTokens') => {
    const value = other[name]
    return value === undefined ? {} : { [name]: (one[name] ?? 0) + value }
  }
  return { ...one, ...sum('costUsd'), ...sum('inputTokens'), ...sum('outputTokens') }
}

function dayOf(row: Row, column: string): string {
  const day = (row[column] ?? '').slice(0, 10)
  if (!/^\d{4}-\d\d-\d\d$/.test(day))
    throw new UnreadableExport(`${column} is not a day: ${row[column]}`)
  return day
}

function numberOf(row: Row, column: string): number {
  const value = Number(row[column] ?? '')
  if (!Number.isFinite(value))
    throw new UnreadableExport(`${column} is not a number: ${row[column]}`)
  return value
}
