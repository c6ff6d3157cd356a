import { isDeepStrictEqual } from 'node:util'
import { stringify } from 'yaml'
import type { Environment } from '../../config/env.ts'
import { routeEndpoints } from '@sluice/server/admin/routes-plan.ts'
import { accountTerms } from '@sluice/server/admin/schemas.ts'
import type { Budget } from '@sluice/gateway/ports/account.ts'
import { budgetAmount } from '../accounts.ts'
import { type AdminConnection, type Listed, openAdmin } from '../ask-admin.ts'
import type { GatewayOptions, Printed } from '../command.ts'
import { CommandError } from '../command-error.ts'
import { parseBudget } from '@sluice/gateway/accounts/budget-text.ts'
import { currentOf } from './apply.ts'
import { kinds } from './file.ts'
import { type Current, parentNow } from './plan.ts'

/**
 * Exports the organizations, teams, users, keys and routes of a gateway as a file for `sluice apply`, without secrets.
 * Applying it to the same gateway changes nothing. The notes say what could not be exported.
 *
 * @throws CommandError if two objects of a kind have the same name, because a file could not distinguish them.
 */
export async function exportCommand(
  environment: Environment,
  { url, json = false }: GatewayOptions,
): Promise<Printed> {
  await using admin = await openAdmin(environment, { ...(url !== undefined && { url }) })
  const current = await currentOf(admin)
  assertNamesTellApart(current)
  const routes = await routesOf(admin)
  const content = {
    ...Object.fromEntries(
      kinds.map((kind) => [`${kind}s`, current[kind].map((one) => itemOf(one, current))]),
    ),
    ...('models' in routes && { routes: routes.models }),
  }
  const notes = 'note' in routes ? [routes.note] : []
  if (json) return { text: JSON.stringify(content, null, 2), notes }
  return { text: stringify(content, { aliasDuplicateObjects: false, lineWidth: 0 }), notes }
}

function assertNamesTellApart(current: Current): void {
  for (const kind of kinds) {
    const seen = new Map<string, string>()
    for (const { name, id } of current[kind]) {
      const other = seen.get(name)
      if (other !== undefined)
        throw new CommandError(
          `Several ${kind}s are named ${name} (${other}, ${id}): rename one first`,
        )
      seen.set(name, id)
    }
  }
}

async function routesOf(
  admin: AdminConnection,
): Promise<{ readonly models: object } | { readonly note: string }> {
  try {
    const { models } = await admin.ask(routeEndpoints.get)
    return { models }
  } catch (cause) {
    if (!(cause instanceof CommandError)) throw cause
    return { note: `Routes were not exported: ${cause.message}.` }
  }
}

function itemOf(one: Listed, current: Current): object {
  const own = one as unknown as Readonly<Record<string, unknown>>
  const its = Object.keys(accountTerms).filter((field) => own[field] !== undefined)
  const parent = parentNow(one, current)
  return {
    name: one.name,
    ...(parent && { [parent.kind]: parent.name }),
    ...('role' in one && one.role === 'administrator' && { role: one.role }),
    ...('adminRole' in one && one.adminRole !== undefined && { adminRole: one.adminRole }),
    ...Object.fromEntries(its.map((field) => [field, termOf(field, own[field])])),
    ...(one.disabledAt !== undefined && { disabled: true }),
  }
}

/** In the form users write. */
function termOf(field: string, value: unknown): unknown {
  if (field === 'expiresAt') return new Date(Number(value)).toISOString()
  if (field === 'budgets') return (value as readonly Budget[]).map(budgetOf)
  return value
}

/**
 * `10/month,tag=nightly`, or an object if the text would be parsed differently. The id and the reset are left out, because they
 * are valid in this gateway only.
 */
function budgetOf({ id: _id, resetAt: _resetAt, ...budget }: Budget): unknown {
  const { timeZone: zone, model, tag, overBudget } = budget
  const pairs = Object.entries({ zone, model, tag, over: overBudget?.route })
  const given = pairs.filter(([, value]) => value !== undefined)
  const text = [budgetAmount(budget), ...given.map((pair) => pair.join('='))].join(',')
  return isDeepStrictEqual(parseBudget(text), budget) ? text : budget
}
