import { setTimeout as sleep } from 'node:timers/promises'
import { loadConfig } from '../config/config.ts'
import type { Environment } from '../config/env.ts'
import { readInitialKeys } from '@sluice/store/keys/initial-keys.ts'
import { askServer } from './ask-server.ts'
import { CommandError } from './command-error.ts'
import { messageOf } from './explain.ts'
import { createProgress, type Screen, whileWaiting } from './progress.ts'
import { reachableAddress } from './start-message.ts'
import { formatTable } from './table.ts'
import { usdCell } from './usd-cell.ts'

/** The gateway updates the sums every two seconds. */
const rebuildLookMs = 500

export interface UsageOptions {
  readonly by?: string
  readonly from?: string
  readonly to?: string
  readonly url?: string
  readonly json?: boolean
  readonly csv?: boolean
}

/** A row of `GET /admin/v1/usage`, as far as commands use it. */
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

/** Shows usage from a running gateway: a table, or its JSON or CSV. */
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
  const named = await namesOf(environment, names, url)
  const rows = [...answer.data, answer.total].map((sums, at) => [
    ...names.map((name, column) =>
      at < answer.data.length ? keyOf(sums[name], named) : column === 0 ? 'total' : '',
    ),
    String(sums.calls),
    String(sums.attempts),
    String(sums.inputTokens),
    String(sums.outputTokens),
    usdCell(sums.costMicroUsd),
    String(sums.unknownCosts),
  ])
  const headings = [
    ...names.map((name) => name.toUpperCase()),
    'CALLS',
    'ATTEMPTS',
    'INPUT TOKENS',
    'OUTPUT TOKENS',
    'USD',
    'UNKNOWN COST',
  ]
  const notes = [
    ...(answer.nextCursor === null ? [] : ['There is more: ask for less time, or with --csv.']),
    ...(answer.pending === 0 ? [] : [`${answer.pending} records are not summed yet.`]),
  ]
  return [`${answer.from} to ${answer.to}`, formatTable(headings, rows), ...notes].join('\n')
}

/** An id with its current name; only the id if it no longer exists. */
function keyOf(value: unknown, named: ReadonlyMap<string, string>): string {
  if (typeof value !== 'string') return '-'
  const name = named.get(value)
  return name === undefined ? value.replace(/T00:00:00Z$/, '') : `${name} (${value})`
}

const lists: Readonly<Record<string, string>> = {
  key: 'keys',
  user: 'users',
  team: 'teams',
  organization: 'organizations',
}

/** The names of the ids in a table. */
async function namesOf(
  environment: Environment,
  names: readonly string[],
  url: string | undefined,
): Promise<ReadonlyMap<string, string>> {
  const named = new Map<string, string>()
  for (const list of names.flatMap((name) => lists[name] ?? []))
    for (let after = ''; ; ) {
      const path = `/${list}?order=asc&limit=100&after=${after}`
      const page: Listed = JSON.parse(await askGateway(environment, { method: 'GET', path, url }))
      for (const { id, name } of page.data) named.set(id, name)
      if (!page.has_more || page.last_id === null) break
      after = encodeURIComponent(page.last_id)
    }
  return named
}

interface Listed {
  readonly data: readonly { readonly id: string; readonly name: string }[]
  readonly has_more: boolean
  readonly last_id: string | null
}

/** The usage sums of a running gateway. */
export async function askUsage(
  environment: Environment,
  query: URLSearchParams,
  url: string | undefined,
): Promise<Answer> {
  return JSON.parse(await askForUsage(environment, query, url))
}

export interface EraseOptions {
  readonly user?: string
  readonly key?: string
  readonly url?: string
  readonly json?: boolean
  /** Where the elapsed time is shown. */
  readonly screen?: Screen
}

/** Removes a user or a key from all records and sums of a running gateway. */
export async function eraseUsage(
  environment: Environment,
  { user, key, url, json = false, screen }: EraseOptions,
): Promise<string> {
  const who = { ...(user !== undefined && { user }), ...(key !== undefined && { key }) }
  if (Object.keys(who).length !== 1) throw new CommandError('Say who: --user or --key')
  const asked = { method: 'POST', path: '/usage/erase', body: who, url } as const
  const text = await whileWaiting(
    'records and sums are changed',
    askGateway(environment, asked),
    screen,
  )
  const erased = JSON.parse(text) as { readonly replacement: string; readonly records: number }
  if (json) return JSON.stringify(erased, null, 2)
  return `Replaced ${user ?? key} by ${erased.replacement} in ${erased.records} records and in all sums.`
}

export interface RebuildOptions {
  readonly url?: string
  readonly json?: boolean
  /** Whether to wait for the sums. Default false: the gateway computes them in the background. */
  readonly wait?: boolean
  /** Where progress is shown. */
  readonly screen?: Screen
}

/** Rebuilds the usage sums of a running gateway. */
export async function rebuildUsage(
  environment: Environment,
  { url, json = false, wait = false, screen }: RebuildOptions,
): Promise<string> {
  const text = await askGateway(environment, {
    method: 'POST',
    path: '/usage/rebuild',
    body: {},
    url,
  })
  const { pending } = JSON.parse(text) as { readonly pending: number }
  if (wait) {
    using progress = createProgress('records summed', screen)
    for (let remaining = pending; remaining > 0; ) {
      progress.at(Math.max(0, pending - remaining), pending)
      await sleep(rebuildLookMs)
      ;({ pending: remaining } = await askUsage(environment, new URLSearchParams(), url))
    }
    if (json) return JSON.stringify({ pending: 0 }, null, 2)
    return `The sums of ${pending} records were made anew.`
  }
  if (json) return JSON.stringify({ pending }, null, 2)
  return `The sums of ${pending} records are made anew; until then answers about usage say what they lack.`
}

async function askForUsage(
  environment: Environment,
  query: URLSearchParams,
  url: string | undefined,
): Promise<string> {
  return askGateway(environment, { method: 'GET', path: `/usage?${query.toString()}`, url })
}

interface AdminRequest {
  readonly method: 'GET' | 'POST'
  /** Relative to `/admin/v1`. */
  readonly path: string
  readonly body?: object
  readonly url: string | undefined
}

async function askGateway(
  environment: Environment,
  { method, path, body, url }: AdminRequest,
): Promise<string> {
  const { server, adminKey: given, dataFolder } = await loadConfig(environment)
  const adminKey = given ?? readInitialKeys(dataFolder).adminKey
  if (adminKey === undefined)
    throw new CommandError(
      'usage needs an administrator key: set SLUICE_ADMIN_KEY, or run it beside the data folder',
    )
  const address = (url ?? reachableAddress(server.host, server.port)).replace(/\/+$/, '')
  const { status, text } = await askServer(`${address}/admin/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
    timeoutMs: waitMs,
  }).catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : 'unknown reason'
    throw new CommandError(`No gateway answers at ${address}: ${reason}`, { cause })
  })
  if (status !== 200) throw new CommandError(`The gateway refused (${status}): ${messageOf(text)}`)
  return text
}
