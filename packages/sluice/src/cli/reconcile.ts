import { readFileSync } from 'node:fs'
import type { Environment } from '../config/env.ts'
import { type Difference, differencesOf, type LedgerSums } from '../prices/bill-differences.ts'
import { type ProviderExport, readExport, UnreadableExport } from '../prices/provider-exports.ts'
import { CommandError } from './command-error.ts'
import { formatTable } from './table.ts'
import { askUsage } from './usage.ts'

export interface ReconcileOptions {
  readonly provider?: string
  readonly url?: string
  readonly json?: boolean
}

const dayMs = 86_400_000
/** Where a provider's export and the ledger differ, by day and model. Fine where they agree. */
export async function reconcile(
  environment: Environment,
  file: string,
  { provider, url, json = false }: ReconcileOptions,
): Promise<{ readonly text: string; readonly isFine: boolean }> {
  const found = await exportIn(readText(file))
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
  const differences = differencesOf(
    found.rows,
    // Asked by day and model, each row has both.
    data as unknown as readonly LedgerSums[],
  )
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

function shown(value: number, of: Difference['of']): string {
  return of === 'USD' ? value.toFixed(4) : String(Math.round(value))
}

function readText(file: string): string {
  try {
    const bytes = readFileSync(file)
    // Table programs write "Unicode text" as UTF-16, which its first two bytes tell.
    const isWide = bytes[0] === 0xff && bytes[1] === 0xfe
    return bytes.toString(isWide ? 'utf16le' : 'utf8')
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'unknown reason'
    throw new CommandError(`${file} cannot be read: ${reason}`, { cause })
  }
}

async function exportIn(text: string): Promise<ProviderExport> {
  try {
    return await readExport(text)
  } catch (cause) {
    if (cause instanceof UnreadableExport) throw new CommandError(cause.message, { cause })
    throw cause
  }
}
