import { GatewayError, invalidRequest, microUsdOf, Type } from '@sluice/contract'
import { differencesOf } from '@sluice/gateway/prices/bill-differences.ts'
import {
  inTurns,
  type ProviderExport,
  readExport,
} from '@sluice/gateway/prices/provider-exports.ts'
import { UnreadableExport } from '@sluice/gateway/prices/read-csv.ts'
import type { Exchange } from './address.ts'
import { endpoint, wholeReaders } from './endpoint.ts'
import { described, integer, list, number, object, text, textOrNull, words } from './shapes.ts'
import { catchUp } from './usage.ts'

const dayMs = 86_400_000
/** Maximum number of day and model pairs of one bill. */
const rowsMax = 10_000

/** Compares a provider's bill with the ledger, as `sluice reconcile` does. */
export const reconcileUsage = endpoint({
  method: 'POST',
  path: '/admin/v1/usage/reconcile',
  access: wholeReaders,
  operationId: 'reconcileUsage',
  summary: 'List differences between a provider’s bill and the ledger, by day and model',
  tag: 'Usage',
  changes: false,
  body: Type.Unsafe<Readonly<Partial<Record<'csv' | 'provider', unknown>>>>({
    type: 'object',
    required: ['csv'],
    properties: {
      csv: described(text, 'An export of OpenAI’s usage page or of Anthropic’s Console.'),
      provider: described(text, 'The provider in the ledger. Default: openai or anthropic.'),
    },
  }),
  checksBody: true,
  example: { csv: 'usage_date_utc,model,cost_usd\n2026-11-01,Claude Haiku 4.5,0.42\n' },
  reply: object({
    form: text,
    from: textOrNull,
    to: textOrNull,
    rows: integer,
    differences: list(
      object({
        day: text,
        model: text,
        of: words(['USD', 'input tokens', 'output tokens']),
        billed: number,
        ledger: number,
      }),
    ),
  }),
  answer: ({ body }, exchange) => reconciled(body, exchange),
})

async function reconciled(
  { csv, provider }: Readonly<Partial<Record<'csv' | 'provider', unknown>>>,
  { gateway }: Exchange,
) {
  if (typeof csv !== 'string') throw invalidRequest("'csv' must be a string", 'csv')
  if (provider !== undefined && typeof provider !== 'string')
    throw invalidRequest("'provider' must be a string", 'provider')
  const found = await exportIn(csv)
  const days = found.rows.map(({ day }) => day).toSorted()
  const from = days[0] ?? null
  const to = days.at(-1) ?? null
  await catchUp(gateway.store)
  const asking = (found.operations ?? [undefined]).map((operation) =>
    gateway.store.usage.sums({
      from: from === null ? 0 : Date.parse(from),
      to: to === null ? dayMs : Date.parse(to) + dayMs,
      only: { provider: provider ?? found.provider, ...(operation && { operation }) },
      by: ['day', 'model'],
      limit: rowsMax,
    }),
  )
  const answers = await Promise.all(asking)
  if (answers.some(({ hasMore }) => hasMore))
    throw invalidRequest(
      'The ledger has too many records for one comparison: export fewer days',
      'csv',
    )
  const ledger = answers
    .flatMap(({ groups }) => groups)
    .map(({ of: [day, model], sums }) => ({
      day: new Date(Number(day)).toISOString(),
      model: String(model),
      costMicroUsd: microUsdOf(sums.cost),
      inputTokens: sums.inputTokens,
      outputTokens: sums.outputTokens,
    }))
  const differences = from === null ? [] : differencesOf(found.rows, ledger)
  return { form: found.form, from, to, rows: found.rows.length, differences }
}

async function exportIn(csv: string): Promise<ProviderExport> {
  try {
    return await readExport(inTurns(csv))
  } catch (thrown) {
    if (thrown instanceof UnreadableExport)
      throw new GatewayError('invalid_request', thrown.message, { param: 'csv', cause: thrown })
    throw thrown
  }
}
