import { setTimeout as sleep } from 'node:timers/promises'
import { GatewayError } from '@sluice/contract'
import type { Environment } from '../config/env.ts'
import { readBy, type UsageBy } from '@sluice/server/usage-query.ts'
import { usageEndpoints } from '@sluice/server/usage.ts'
import { accountKinds } from '@sluice/gateway/ports/account.ts'
import { usageDimensions } from '@sluice/gateway/ports/usage-store.ts'
import { type AdminConnection, allAccounts, allKeys, runningGateway } from './ask-admin.ts'
import type { GatewayOptions } from './command.ts'
import { CommandError } from './command-error.ts'
import { createProgress, type Screen, whileWaiting } from './progress.ts'
import { formatTable, usdCell } from './table.ts'

/** The gateway updates the sums every two seconds. */
const rebuildLookMs = 500

interface UsageOptions extends GatewayOptions {
  readonly by?: string
  readonly from?: string
  readonly to?: string
  readonly csv?: boolean
}

/** Shows usage from a running gateway: a table, or its JSON or CSV. */
export async function usageCommand(
  environment: Environment,
  { by = 'model', from, to, url, json = false, csv = false }: UsageOptions,
): Promise<string> {
  const names = namesIn(by)
  const gateway = await gatewayFor(environment, url)
  const query = { by, from, to }
  if (csv) return gateway.askText(usageEndpoints.get, { query: { ...query, format: 'csv' } })
  const answer = await gateway.ask(usageEndpoints.get, { query })
  if (json) return JSON.stringify(answer, null, 2)
  const named = await namesOf(gateway, names)
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
    'REQUESTS',
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

/** Checked here, so that a typo is told as such where no gateway is running. */
function namesIn(by: string): readonly UsageBy[] {
  try {
    return readBy(by, usageDimensions)
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown
    throw new CommandError(thrown.message.replace("'by'", '--by'), { cause: thrown })
  }
}

/** An id with its current name; only the id if it no longer exists. */
function keyOf(value: unknown, named: ReadonlyMap<string, string>): string {
  if (typeof value !== 'string') return '-'
  const name = named.get(value)
  return name === undefined ? value.replace(/T00:00:00Z$/, '') : `${name} (${value})`
}

/** The names of the ids in a table. */
async function namesOf(
  gateway: AdminConnection,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const named = new Map<string, string>()
  for (const name of names) {
    const kind = accountKinds.find((one) => one === name)
    const all =
      name === 'key' ? await allKeys(gateway) : kind ? await allAccounts(gateway, kind) : []
    for (const one of all) named.set(one.id, one.name)
  }
  return named
}

/** The gateway whose usage is asked for: that at `url`, by default that of the settings. */
export function gatewayFor(environment: Environment, url: string | undefined) {
  return runningGateway(environment, url, 'usage needs an')
}

interface EraseOptions extends GatewayOptions {
  readonly user?: string
  readonly key?: string
  /** Where the elapsed time is shown. */
  readonly screen?: Screen
}

/** Removes a user or a key from all records and sums of a running gateway. */
export async function eraseUsage(
  environment: Environment,
  { user, key, url, json = false, screen }: EraseOptions,
): Promise<string> {
  const body = { ...(user !== undefined && { user }), ...(key !== undefined && { key }) }
  if (Object.keys(body).length !== 1) throw new CommandError('Say who: --user or --key')
  const gateway = await gatewayFor(environment, url)
  const erased = await whileWaiting(
    'records and sums are changed',
    gateway.ask(usageEndpoints.erase, { body }),
    screen,
  )
  if (json) return JSON.stringify(erased, null, 2)
  return `Replaced ${user ?? key} by ${erased.replacement} in ${erased.records} records and in all sums.`
}

interface RebuildOptions extends GatewayOptions {
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
  const gateway = await gatewayFor(environment, url)
  const { pending } = await gateway.ask(usageEndpoints.rebuild)
  if (wait) {
    using progress = createProgress('records summed', screen)
    for (let remaining = pending; remaining > 0; ) {
      progress.at(Math.max(0, pending - remaining), pending)
      await sleep(rebuildLookMs)
      ;({ pending: remaining } = await gateway.ask(usageEndpoints.get))
    }
    if (json) return JSON.stringify({ pending: 0 }, null, 2)
    return `The sums of ${pending} records were rebuilt.`
  }
  if (json) return JSON.stringify({ pending }, null, 2)
  return `The sums of ${pending} records are being rebuilt. Until then, usage reports say how many records are missing.`
}
