import { UnreadableExport } from '@sluice/gateway/prices/read-csv.ts'
import { open } from 'node:fs/promises'
import type { Environment } from '../config/env.ts'
import { usageEndpoints } from '@sluice/server/usage.ts'
import {
  type Difference,
  differencesOf,
  type LedgerSums,
} from '@sluice/gateway/prices/bill-differences.ts'
import type { GatewayOptions, Printed } from './command.ts'
import { type ProviderExport, readExport } from '@sluice/gateway/prices/provider-exports.ts'
import { CommandError } from './command-error.ts'
import { dayOf } from './day.ts'
import { formatTable, usdCell } from './table.ts'
import { gatewayFor } from './usage.ts'

interface ReconcileOptions extends GatewayOptions {
  readonly provider?: string
}

const dayMs = 86_400_000

/** Lists where a provider's export and the ledger differ, by day and model. Fine if they agree. */
export async function reconcile(
  environment: Environment,
  file: string,
  { provider, url, json = false }: ReconcileOptions,
): Promise<Printed> {
  const found = await exportIn(file)
  const days = found.rows.map(({ day }) => day).toSorted()
  const [first] = days
  const last = days.at(-1)
  if (first === undefined || last === undefined)
    return { text: 'The export is empty.', isFine: true }
  const gateway = await gatewayFor(environment, url)
  const ledger: LedgerSums[] = []
  for (const operation of found.operations ?? [undefined]) {
    const { data, nextCursor } = await gateway.ask(usageEndpoints.get, {
      query: {
        by: 'day,model',
        provider: provider ?? found.provider,
        from: first,
        to: dayOf(Date.parse(last) + dayMs),
        limit: 10_000,
        operation,
      },
    })
    if (nextCursor !== null)
      throw new CommandError(
        'The ledger has too many records for one comparison: export fewer days',
      )
    // Rows grouped by day and model have both.
    ledger.push(...(data as unknown as readonly LedgerSums[]))
  }
  const differences = differencesOf(found.rows, ledger)
  const isFine = differences.length === 0
  if (json) return { text: JSON.stringify({ form: found.form, differences }, null, 2), isFine }
  if (isFine) return { text: `${found.form}: the ledger agrees, ${first} to ${last}.`, isFine }
  const table = formatTable(
    ['DAY', 'MODEL', 'OF', 'BILLED', 'LEDGER', 'DIFFERENCE'],
    differences.map(({ day, model, of, billed, ledger }) => [
      day,
      model || 'all',
      of,
      formatAmount(billed, of),
      formatAmount(ledger, of),
      formatAmount(billed - ledger, of),
    ]),
  )
  return { text: `${found.form}\n${table}`, isFine }
}

function formatAmount(value: number, of: Difference['of']): string {
  if (of !== 'USD') return String(Math.round(value))
  return value > 0 && value < 0.0001 ? usdCell(value * 1_000_000) : value.toFixed(4)
}

/** The file is read as a stream, because exports may be larger than memory. */
async function exportIn(file: string): Promise<ProviderExport> {
  try {
    await using handle = await open(file)
    const marked = Buffer.alloc(2)
    const { bytesRead } = await handle.read(marked, 0, 2, 0)
    // Spreadsheet programs write "Unicode text" as UTF-16, indicated by its first two bytes.
    const isWide = bytesRead === 2 && marked[0] === 0xff && marked[1] === 0xfe
    const encoding = isWide ? 'utf16le' : 'utf8'
    return await readExport(handle.createReadStream({ encoding, start: 0, autoClose: false }))
  } catch (cause) {
    if (cause instanceof UnreadableExport) throw new CommandError(cause.message, { cause })
    throw CommandError.because(`${file} cannot be read`, cause)
  }
}
