import { loadConfig } from '../config/config.ts'
import type { Environment } from '../config/env.ts'
import { readInitialKeys } from '@sluice/store/keys/initial-keys.ts'
import { askServer, followServer } from './ask-server.ts'
import { CommandError } from './command-error.ts'
import { messageOf } from './explain.ts'
import { printable } from './printable.ts'
import { reachableAddress } from './start-message.ts'
import { formatTable } from './table.ts'
import { usdCell } from './usd-cell.ts'

/** The filters for requests: option names and their descriptions. */
export const requestFilters = {
  from: 'only requests started at or after this time, such as 2026-01-31 or 2026-01-31T08:00:00Z',
  to: 'only requests started before this time',
  key: 'only requests of the key with this id',
  user: 'only requests of the user with this id',
  team: 'only requests of the team with this id',
  organization: 'only requests of the organization with this id',
  model: 'only requests to this model, under its provider’s name',
  provider: 'only requests to this provider',
  operation: 'only requests of this operation, such as chat or embed',
  format: 'only requests in this client format, such as chat or messages',
  outcome: 'only requests with this outcome: completed, failed, cancelled or incomplete',
  status: 'only requests with this status, such as 429, or class, such as 5xx',
  tag: 'only requests with this tag',
  id: 'only the request with this id, from the gateway or the caller',
  requestedModel: 'only requests for this model name, as sent by the caller',
} as const

export type RequestsOptions = Readonly<Partial<Record<keyof typeof requestFilters, string>>> & {
  readonly follow?: boolean
  readonly limit?: number
  readonly url?: string
  readonly json?: boolean
}

/** A row of `GET /admin/v1/requests`, or a followed request. */
interface RequestRow {
  readonly startedAt: string
  readonly id: string
  readonly model: string | null
  readonly provider?: string
  readonly upstreamModel?: string
  readonly outcome?: string
  readonly status?: number | null
  readonly durationMs?: number
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly costMicroUsd?: number | null
  /** For a refused request. */
  readonly errorCode?: string | null
  readonly message?: string
}

const waitMs = 60_000
const limitUsual = 50
const headings = ['TIME', 'ID', 'MODEL', 'TARGET', 'OUTCOME', 'STATUS', 'MS', 'IN', 'OUT', 'USD']

/** Lists the newest requests. With `follow`, prints them line by line until `signal` aborts. Returns what is left to print. */
export async function requestsCommand(
  environment: Environment,
  options: RequestsOptions,
  { print, signal }: { readonly print: (text: string) => void; readonly signal: AbortSignal },
): Promise<string> {
  const { address, headers } = await gatewayOf(environment, options.url)
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(options))
    if (Object.hasOwn(requestFilters, name)) query.set(name, String(value))
  if (options.follow === true) {
    const url = `${address}/admin/v1/requests/live?${query.toString()}`
    const shown = options.json === true ? (data: string) => data : lineOf
    let rest = ''
    await followServer(url, { headers, signal }, (text) => {
      const blocks = (rest + text).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const [, data] = /^event: (?:request|refused)\ndata: (.*)$/m.exec(block) ?? []
        if (data !== undefined) print(shown(data))
      }
    }).catch((cause: unknown) => {
      throw unreachable(address, cause)
    })
    return ''
  }
  query.set('limit', String(options.limit ?? limitUsual))
  const text = await answerOf(address, `/admin/v1/requests?${query.toString()}`, headers)
  const answer: { readonly data: readonly RequestRow[] } = JSON.parse(text)
  return options.json === true
    ? JSON.stringify(answer, null, 2)
    : formatTable(headings, answer.data.map(cellsOf))
}

function lineOf(data: string): string {
  const shown: RequestRow = JSON.parse(data)
  const { message } = shown
  const why = message === undefined ? [] : [`${shown.errorCode}: ${message}`]
  return [...cellsOf(shown), ...why].map(printable).join('  ')
}

function cellsOf(shown: RequestRow): readonly string[] {
  const { startedAt, id, model, provider, upstreamModel, costMicroUsd } = shown
  return [
    startedAt.slice(0, 19).replace('T', ' '),
    id,
    model ?? '-',
    provider === undefined ? '-' : `${provider}/${upstreamModel}`,
    shown.outcome ?? 'running',
    String(shown.status ?? '-'),
    String(Math.round(shown.durationMs ?? 0)),
    String(shown.inputTokens ?? 0),
    String(shown.outputTokens ?? 0),
    shown.message === undefined ? usdCell(costMicroUsd) : '-',
  ]
}

export interface TopOptions {
  readonly url?: string
  readonly json?: boolean
}

interface Sums {
  readonly model?: string | null
  readonly calls: number
  readonly failed: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly costMicroUsd: number | null
  readonly firstTokenP50Ms: number | null
  readonly firstTokenP95Ms: number | null
}

interface Overview {
  readonly from: string
  readonly to: string
  readonly total: Sums
  readonly models: readonly Sums[]
}

const hourMs = 3_600_000

/** The usage of this hour and the previous one, by model: a table, or the gateway's JSON. */
export async function topCommand(
  environment: Environment,
  { url, json = false }: TopOptions,
  now: number,
): Promise<string> {
  const { address, headers } = await gatewayOf(environment, url)
  const from = new Date(now - (now % hourMs) - hourMs).toISOString()
  const text = await answerOf(address, `/admin/v1/overview?from=${from}`, headers)
  const overview: Overview = JSON.parse(text)
  if (json) return JSON.stringify(overview, null, 2)
  const rows = [...overview.models, overview.total].map((sums, at) => [
    at < overview.models.length ? String(sums.model ?? '-') : 'total',
    String(sums.calls),
    String(sums.failed),
    String(sums.inputTokens),
    String(sums.outputTokens),
    usdCell(sums.costMicroUsd),
    String(sums.firstTokenP50Ms ?? '-'),
    String(sums.firstTokenP95Ms ?? '-'),
  ])
  const names = ['MODEL', 'CALLS', 'FAILED', 'IN', 'OUT', 'USD', 'FIRST p50', 'FIRST p95']
  return [`${overview.from} to ${overview.to}`, formatTable(names, rows)].join('\n')
}

interface Reached {
  readonly address: string
  readonly headers: Readonly<Record<string, string>>
}

async function gatewayOf(environment: Environment, url: string | undefined): Promise<Reached> {
  const { server, adminKey: given, dataFolder } = await loadConfig(environment)
  const adminKey = given ?? readInitialKeys(dataFolder).adminKey
  if (adminKey === undefined)
    throw new CommandError(
      'This needs an administrator key: set SLUICE_ADMIN_KEY, or run it beside the data folder',
    )
  return {
    address: (url ?? reachableAddress(server.host, server.port)).replace(/\/+$/, ''),
    headers: { authorization: `Bearer ${adminKey}` },
  }
}

async function answerOf(
  address: string,
  path: string,
  headers: Reached['headers'],
): Promise<string> {
  const { status, text } = await askServer(address + path, { headers, timeoutMs: waitMs }).catch(
    (cause: unknown) => {
      throw unreachable(address, cause)
    },
  )
  if (status !== 200) throw new CommandError(`The gateway refused (${status}): ${messageOf(text)}`)
  return text
}

function unreachable(address: string, cause: unknown): CommandError {
  const reason = cause instanceof Error ? cause.message : 'unknown reason'
  return new CommandError(`No gateway answers at ${address}: ${reason}`, { cause })
}
