import { loadConfig } from '../config/config.ts'
import type { Environment } from '../config/env.ts'
import { readInitialKeys } from '../storage/initial-keys.ts'
import { askServer } from './ask-server.ts'
import { CommandError } from './command-error.ts'
import { messageOf } from './explain.ts'
import { reachableAddress } from './start-message.ts'
import { formatTable } from './table.ts'

export interface UsageOptions {
  readonly by?: string
  readonly from?: string
  readonly to?: string
  readonly url?: string
  readonly json?: boolean
  readonly csv?: boolean
}

/** A row of `GET /admin/v1/usage`, as far as commands read it. */
export interface ShownSums {
  readonly [name: string]: unknown
  readonly model?: string | null
  readonly attempts: number
  readonly calls: number
  readonly unknownCosts: number
  readonly costMicroUsd: number | null
  readonly inputTokens: number
  readonly outputTokens: number
}

interface Answer {
  readonly from: string
  readonly to: string
  readonly data: readonly ShownSums[]
  readonly total: ShownSums
  readonly nextCursor: string | null
  readonly pending: number
}

const waitMs = 60_000

/** What was used, from a running gateway: a table, or JSON or CSV as it answers. */
export async function usageCommand(
  environment: Environment,
  { by = 'model', from, to, url, json = false, csv = false }: UsageOptions,
): Promise<string> {
  const query = new URLSearchParams({
    by,
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(csv && { format: 'csv' }),
  })
  const text = await askForUsage(environment, query, url)
  if (csv) return text
  const answer: Answer = JSON.parse(text)
  if (json) return JSON.stringify(answer, null, 2)
  const names = by === '' ? [] : by.split(',').map((name) => name.trim())
  const rows = [...answer.data, answer.total].map((sums, at) => [
    ...names.map((name, column) =>
      at < answer.data.length ? keyOf(sums[name]) : column === 0 ? 'total' : '',
    ),
    String(sums.calls),
    String(sums.attempts),
    String(sums.inputTokens),
    String(sums.outputTokens),
    sums.costMicroUsd === null ? 'unknown' : (sums.costMicroUsd / 1_000_000).toFixed(6),
    String(sums.unknownCosts),
  ])
  const headings = [
    ...names.map((name) => name.toUpperCase()),
    'CALLS',
    'ATTEMPTS',
    'INPUT TOKENS',
    'OUTPUT TOKENS',
    'USD',
    'OF UNKNOWN COST',
  ]
  const notes = [
    ...(answer.nextCursor === null ? [] : ['There is more: ask for less time, or with --csv.']),
    ...(answer.pending === 0 ? [] : [`${answer.pending} records are not summed yet.`]),
  ]
  return [`${answer.from} to ${answer.to}`, formatTable(headings, rows), ...notes].join('\n')
}

function keyOf(value: unknown): string {
  if (typeof value !== 'string') return '-'
  return value.replace(/T00:00:00Z$/, '')
}

/** The sums that a running gateway tells. */
export async function askUsage(
  environment: Environment,
  query: URLSearchParams,
  url: string | undefined,
): Promise<Answer> {
  return JSON.parse(await askForUsage(environment, query, url))
}

async function askForUsage(
  environment: Environment,
  query: URLSearchParams,
  url: string | undefined,
): Promise<string> {
  const { server, adminKey: given, dataFolder } = await loadConfig(environment)
  const adminKey = given ?? readInitialKeys(dataFolder).adminKey
  if (adminKey === undefined)
    throw new CommandError(
      'usage needs an administrator key: set SLUICE_ADMIN_KEY, or run it beside the data folder',
    )
  const address = (url ?? reachableAddress(server.host, server.port)).replace(/\/+$/, '')
  const { status, text } = await askServer(`${address}/admin/v1/usage?${query.toString()}`, {
    headers: { authorization: `Bearer ${adminKey}` },
    timeoutMs: waitMs,
  }).catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : 'unknown reason'
    throw new CommandError(`No gateway answers at ${address}: ${reason}`, { cause })
  })
  if (status !== 200) throw new CommandError(`The gateway refused (${status}): ${messageOf(text)}`)
  return text
}
