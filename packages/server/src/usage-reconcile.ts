import { GatewayError, invalidRequest, microUsdOf } from '@sluice/contract'
import { differencesOf } from '@sluice/gateway/prices/bill-differences.ts'
import {
  inTurns,
  type ProviderExport,
  readExport,
  UnreadableExport,
} from '@sluice/gateway/prices/provider-exports.ts'
import type { Address, Exchange } from './address.ts'
import { parseJsonObject, readBody } from './body.ts'
import { limitsOf } from './inference.ts'
import { answer, object, text } from './openapi-written.ts'
import { catchUp } from './usage.ts'

const number = { type: 'number' }
const dayMs = 86_400_000
/** Maximum number of day and model pairs of one bill. */
const rowsMax = 10_000

/** Compares a provider's bill with the ledger, as `sluice reconcile` does. */
export const reconcileAddresses: readonly Address[] = [
  {
    method: 'POST',
    path: '/admin/v1/usage/reconcile',
    access: 'administrator',
    description: {
      operationId: 'reconcileUsage',
      summary: 'List where the bill of a provider and the ledger differ, by day and model',
      tags: ['Usage'],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: {
              type: 'object',
              required: ['csv'],
              properties: {
                csv: {
                  ...text,
                  description: 'An export of OpenAI’s usage page or of Anthropic’s Console.',
                },
                provider: {
                  ...text,
                  description: 'The provider in the ledger. Default: openai or anthropic.',
                },
              },
            },
            example: {
              csv: 'usage_date_utc,model,cost_usd\n2026-11-01,Claude Haiku 4.5,0.42\n',
            },
          },
        },
      },
      reply: answer(
        object({
          form: text,
          from: { type: ['string', 'null'] },
          to: { type: ['string', 'null'] },
          rows: { type: 'integer' },
          differences: {
            type: 'array',
            items: object({
              day: text,
              model: text,
              of: { enum: ['USD', 'input tokens', 'output tokens'] },
              billed: number,
              ledger: number,
            }),
          },
        }),
      ),
    },
    serve: serveReconcile,
  },
]

async function serveReconcile(exchange: Exchange): Promise<void> {
  const { gateway, options, reply, request } = exchange
  const raw = await readBody(request.raw, limitsOf(exchange))
  const body = await parseJsonObject(raw, request.headers['content-type'], options.bodyUnitsMax)
  const { csv, provider } = body
  if (typeof csv !== 'string') throw invalidRequest("'csv' must be a string", 'csv')
  if (provider !== undefined && typeof provider !== 'string')
    throw invalidRequest("'provider' must be a string", 'provider')
  const found = await exportIn(csv)
  const days = found.rows.map(({ day }) => day).toSorted()
  const from = days[0] ?? null
  const to = days.at(-1) ?? null
  await catchUp(gateway.store)
  const asking = (found.operations ?? [undefined]).map((operation) =>
    gateway.store.book.sums({
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
  reply.send({ form: found.form, from, to, rows: found.rows.length, differences })
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
