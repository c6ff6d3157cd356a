import { readFileSync } from 'node:fs'
import type { Environment } from '../config/env.ts'
import { CommandError } from './command-error.ts'
import { type Billed, readExport } from './provider-exports.ts'
import { formatTable } from './table.ts'
import { askUsage, type ShownSums } from './usage.ts'

export interface ReconcileOptions {
  readonly provider?: string
  readonly url?: string
  readonly json?: boolean
}

const dayMs = 86_400_000
/** Less is rounding: providers round each line to some digits. */
const usdThat = 0.005

interface Difference {
  readonly day: string
  readonly model: string
  readonly of: 'USD' | 'input tokens' | 'output tokens'
  readonly billed: number
  readonly ledger: number
}

/** Where a provider's export and the ledger differ, by day and model. Fine where they agree. */
export async function reconcile(
  environment: Environment,
  file: string,
  { provider, url, json = false }: ReconcileOptions,
): Promise<{ readonly text: string; readonly isFine: boolean }> {
  const found = readExport(readText(file))
  const days = found.rows.map(({ day }) => day).toSorted()
  const [first] = days
  const last = days.at(-1)
  if (first === undefined || last === undefined)
    return { text: 'The export is empty.', isFine: true }
  const query = new URLSearchParams({
    by: 'day,model',
    provider: provider ?? found.provider,
    from: first,
    to: new Date(Date.parse(last) + dayMs).toISOString().slice(0, 10),
    limit: '10000',
  })
  const { data, nextCursor } = await askUsage(environment, query, url)
  if (nextCursor !== null)
    throw new CommandError('The ledger has too much for one comparison: export fewer days')
  const differences = differencesOf(found.rows, data)
  if (json)
    return {
      text: JSON.stringify({ form: found.form, differences }, null, 2),
      isFine: differences.length === 0,
    }
  if (differences.length === 0)
    return { text: `${found.form}: the ledger agrees, ${first} to ${last}.`, isFine: true }
  const table = formatTable(
    ['DAY', 'MODEL', 'OF', 'BILLED', 'LEDGER', 'DIFFERENCE'],
    differences.map(({ day, model, of, billed, ledger }) => [
      day,
      model || 'all',
      of,
      shown(billed, of),
      shown(ledger, of),
      shown(billed - ledger, of),
    ]),
  )
  return { text: `${found.form}\n${table}`, isFine: false }
}

function differencesOf(
  rows: readonly Billed[],
  ledger: readonly ShownSums[],
): readonly Difference[] {
  const names = [...new Set(ledger.map(({ model }) => String(model)))]
  const billedNames = new Set(rows.map(({ model }) => model))
  const taken = new Set<ShownSums>()
  const found = rows.flatMap((row) => {
    const own = ledger.filter(
      (sums) =>
        String(sums['day']).startsWith(row.day) &&
        isModel(String(sums.model), row.model, names, billedNames),
    )
    for (const sums of own) taken.add(sums)
    return differencesIn(row, own)
  })
  const unbilled = ledger
    .filter((sums) => !taken.has(sums))
    .flatMap((sums) => {
      const zero = Object.fromEntries(
        (['costUsd', 'inputTokens', 'outputTokens'] as const).flatMap((name) =>
          rows.some((row) => row[name] !== undefined) ? [[name, 0]] : [],
        ),
      )
      return differencesIn(
        { day: String(sums['day']).slice(0, 10), model: String(sums.model), ...zero },
        [sums],
      )
    })
  return [...found, ...unbilled].toSorted((a, b) =>
    `${a.day} ${a.model}` < `${b.day} ${b.model}` ? -1 : 1,
  )
}

/** The same name, or the one a name with its day stands for; an export without models is of all. */
function isModel(
  own: string,
  billed: string,
  names: readonly string[],
  billedNames: ReadonlySet<string>,
): boolean {
  if (billed === '' || own === billed) return true
  const dated = /-(?:\d{8}|\d{4}-\d\d-\d\d)$/
  if (own.replace(dated, '') === billed) return !billedNames.has(own)
  return billed.replace(dated, '') === own && !names.includes(billed)
}

function differencesIn(row: Billed, own: readonly ShownSums[]): readonly Difference[] {
  const total = (name: 'costMicroUsd' | 'inputTokens' | 'outputTokens') =>
    own.reduce((sum, sums) => sum + (sums[name] ?? 0), 0)
  const { day, model, costUsd, inputTokens, outputTokens } = row
  const all: readonly (readonly [Difference['of'], number | undefined, number])[] = [
    ['USD', costUsd, total('costMicroUsd') / 1_000_000],
    ['input tokens', inputTokens, total('inputTokens')],
    ['output tokens', outputTokens, total('outputTokens')],
  ]
  return all.flatMap(([of, billed, ledger]) =>
    billed === undefined || Math.abs(billed - ledger) < (of === 'USD' ? usdThat : 1)
      ? []
      : [{ day, model, of, billed, ledger }],
  )
}

function shown(value: number, of: Difference['of']): string {
  return of === 'USD' ? value.toFixed(4) : String(Math.round(value))
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'unknown reason'
    throw new CommandError(`${file} cannot be read: ${reason}`, { cause })
  }
}
