import type { Environment } from '../config/env.ts'
import { getOverview } from '@sluice/server/admin/overview.ts'
import { listProblems } from '@sluice/server/admin/problems.ts'
import { requestEndpoints } from '@sluice/server/admin/requests.ts'
import type { shownRequestSchema } from '@sluice/server/admin/shown-request.ts'
import type { Of } from '@sluice/server/shapes.ts'
import { placeOf, runningGateway } from './ask-admin.ts'
import { followServer } from './ask-server.ts'
import type { GatewayOptions, Printed } from './command.ts'
import { printable } from './printable.ts'
import { formatTable, usdCell } from './table.ts'

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
  outcome: 'only requests with this outcome: completed, failed, cancelled, incomplete or refused',
  status: 'only requests with this status, such as 429, or class, such as 5xx',
  tag: 'only requests with this tag',
  id: 'only the request with this id, from the gateway or the caller',
  requestedModel: 'only requests for this model name, as sent by the caller',
} as const

export interface RequestsOptions
  extends GatewayOptions,
    Readonly<Partial<Record<keyof typeof requestFilters, string>>> {
  readonly follow?: boolean
  readonly limit?: number
}

type Row = Of<typeof shownRequestSchema>

/** A request in the list or in the live view, where a refused one has fewer facts and a reason. */
type RequestRow = Pick<Row, 'startedAt' | 'id'> &
  Partial<Row> & { readonly model: string | null; readonly message?: string }

/** The sentence that says what these commands lack. */
const needs = 'This needs an'
const limitUsual = 50
const headings = ['TIME', 'ID', 'MODEL', 'TARGET', 'OUTCOME', 'STATUS', 'MS', 'IN', 'OUT', 'USD']

/** Lists the newest requests. With `follow`, prints them line by line until `signal` aborts. Returns what is left to print. */
export async function requestsCommand(
  environment: Environment,
  options: RequestsOptions,
  { print, signal }: { readonly print: (text: string) => void; readonly signal: AbortSignal },
): Promise<string> {
  const { follow, url, json, limit = limitUsual, ...query } = options
  const gateway = await runningGateway(environment, url, needs)
  if (follow === true) {
    const { address, headers } = gateway
    const live = address + placeOf(requestEndpoints.watch, { query })
    const shown = json === true ? (data: string) => data : lineOf
    let rest = ''
    await followServer(live, { headers, signal }, (text) => {
      const blocks = (rest + text).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const [, data] = /^event: (?:request|refused)\ndata: (.*)$/m.exec(block) ?? []
        if (data !== undefined) print(shown(data))
      }
    }).catch((cause: unknown) => {
      throw gateway.unreachable(cause)
    })
    return ''
  }
  const answer = await gateway.ask(requestEndpoints.list, {
    query: { ...query, limit },
  })
  return json === true
    ? JSON.stringify(answer, null, 2)
    : formatTable(headings, answer.data.map(cellsOf)) + reasonsOf(answer.data)
}

/** A line for each refused request below the table. */
function reasonsOf(rows: readonly Row[]): string {
  return rows
    .filter(({ outcome }) => outcome === 'refused')
    .map(({ id, errorCode, reason }) => `\n${id}  ${errorCode}: ${printable(reason ?? '')}`)
    .join('')
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
    provider === undefined || provider === '' ? '-' : `${provider}/${upstreamModel}`,
    shown.outcome ?? 'running',
    String(shown.status ?? '-'),
    String(Math.round(shown.durationMs ?? 0)),
    String(shown.inputTokens ?? 0),
    String(shown.outputTokens ?? 0),
    shown.message === undefined ? usdCell(costMicroUsd) : '-',
  ]
}

/** What is wrong with a running gateway now, the worst first. Fine if no calls fail for it. */
export async function problemsCommand(
  environment: Environment,
  { url, json = false }: GatewayOptions,
): Promise<Printed> {
  const gateway = await runningGateway(environment, url, needs)
  const answer = await gateway.ask(listProblems)
  const isFine = answer.problems.every(({ severity }) => severity !== 'error')
  if (json) return { text: JSON.stringify(answer, null, 2), isFine }
  if (answer.problems.length === 0) return { text: 'No problems found.', isFine }
  const rows = answer.problems.map(({ severity, kind, message, until }) => [
    severity,
    kind,
    printable(message) + (until === null ? '' : ` (until ${until})`),
  ])
  return { text: formatTable(['SEVERITY', 'KIND', 'PROBLEM'], rows), isFine }
}

const hourMs = 3_600_000

/** The usage of this hour and the previous one, by model: a table, or the gateway's JSON. */
export async function topCommand(
  environment: Environment,
  { url, json = false }: GatewayOptions,
  now: number,
): Promise<string> {
  const gateway = await runningGateway(environment, url, needs)
  const from = new Date(now - (now % hourMs) - hourMs).toISOString()
  const overview = await gateway.ask(getOverview, { query: { from } })
  if (json) return JSON.stringify(overview, null, 2)
  const rows = [...overview.models, overview.total].map((sums, at) => [
    at < overview.models.length ? String(sums['model'] ?? '-') : 'total',
    String(sums.calls),
    String(sums.failed),
    String(sums.inputTokens),
    String(sums.outputTokens),
    usdCell(sums.costMicroUsd),
    String(sums.firstTokenP50Ms ?? '-'),
    String(sums.firstTokenP95Ms ?? '-'),
  ])
  const names = ['MODEL', 'REQUESTS', 'FAILED', 'IN', 'OUT', 'USD', 'FIRST p50', 'FIRST p95']
  return [`${overview.from} to ${overview.to}`, formatTable(names, rows)].join('\n')
}
