import { isObject } from '@sluice/contract'
import type { Environment } from '../config/env.ts'
import { accountEndpoints } from '@sluice/server/admin/accounts.ts'
import { resetBudgets } from '@sluice/server/admin/budget-resets.ts'
import { keyEndpoints } from '@sluice/server/admin/keys.ts'
import type { AnyEndpoint } from '@sluice/server/endpoint.ts'
import { type AccountKind, accountKinds, type Budget } from '@sluice/gateway/ports/account.ts'
import {
  allAccounts,
  allKeys,
  endpoints,
  find,
  findNamed,
  type Kind,
  openAdmin,
} from './ask-admin.ts'
import type { JsonOption } from './command.ts'
import { CommandError } from './command-error.ts'
import { formatTable } from './table.ts'
import { clearedTerms, type TermsOptions, termsOf } from './terms-options.ts'

export interface CreateAccountOptions extends TermsOptions, JsonOption {
  readonly name: string
  /** The id of the parent. */
  readonly in?: string
}

/** Creates an organization, a team or a user; prints its id, or JSON. */
export async function createAccountCommand(
  environment: Environment,
  kind: AccountKind,
  options: CreateAccountOptions,
): Promise<string> {
  await using admin = await openAdmin(environment)
  const made = await admin.ask(accountEndpoints[kind].create, {
    body: {
      name: options.name,
      ...(options.in !== undefined && { parentId: options.in }),
      ...termsOf(options, Date.now()),
    },
  })
  return options.json === true ? jsonOf(made) : made.id
}

/** Lists all accounts of a kind, oldest first. */
export async function listAccountsCommand(
  environment: Environment,
  kind: AccountKind,
  { json = false }: JsonOption,
): Promise<string> {
  await using admin = await openAdmin(environment)
  const accounts = await allAccounts(admin, kind)
  if (json) return JSON.stringify(accounts, null, 2)
  if (accounts.length === 0) return `There are no ${kind}s yet.`
  return formatTable(
    ['ID', 'NAME', 'IN', 'STATE', 'BUDGETS', 'MODELS'],
    accounts.map(({ id, name, parentId, disabledAt, budgets = [], models }) => [
      id,
      name,
      parentId ?? '',
      disabledAt === undefined ? 'enabled' : 'disabled',
      budgets.map(shownBudget).join(', ') || 'none',
      models?.join(', ') ?? 'all',
    ]),
  )
}

export interface ChangeOptions extends TermsOptions, JsonOption {
  readonly name?: string
  /** The id of another user or team; for keys only. */
  readonly owner?: string
  /** Terms to remove; of a key also `owner`. */
  readonly clear?: readonly string[]
}

/** Changes the name, terms or owner of a key or an account. A running gateway applies it within a second. */
export async function changeCommand(
  environment: Environment,
  kind: Kind,
  { asked, options }: { readonly asked: string; readonly options: ChangeOptions },
): Promise<string> {
  await using admin = await openAdmin(environment)
  const { name, owner, clear, json = false } = options
  const body = {
    ...clearedTerms(clear),
    ...(name !== undefined && { name }),
    ...(owner !== undefined && { ownerId: owner }),
    ...termsOf(options, Date.now()),
  }
  const fields = Object.keys(body)
  if (fields.length === 0)
    throw new CommandError(`Name at least one change: sluice ${kind}s change --help`)
  const { id } = await find(admin, kind, asked)
  const question = { path: { id }, body }
  const changed =
    kind === 'key'
      ? await admin.ask(keyEndpoints.change, question)
      : await admin.ask(accountEndpoints[kind].change, question)
  return json ? jsonOf(changed) : `Changed ${id} (${changed.name}): ${fields.join(', ')}.`
}

/** What is done to a key or an account, as it is said afterwards. */
const done = {
  disable: 'Disabled',
  enable: 'Enabled',
  delete: 'Deleted',
  unlink: 'Unlinked',
  revoke: 'Revoked',
} as const

type Switch = keyof typeof done

/** What may be done to a kind: whatever the API has an endpoint for. */
export function switchesOf(kind: Kind): readonly Switch[] {
  return (['disable', 'enable', 'delete', 'unlink', 'revoke'] as const).filter(
    (what) => what in endpoints[kind],
  )
}

/** Disables, enables, deletes, unlinks or revokes a key or an account. */
export async function switchCommand(
  environment: Environment,
  kind: Kind,
  { asked, what, json = false }: JsonOption & { readonly asked: string; readonly what: Switch },
): Promise<string> {
  await using admin = await openAdmin(environment)
  const found = await find(admin, kind, asked)
  const { id, name } = found
  const { [what]: endpoint }: Partial<Record<Switch, AnyEndpoint>> = endpoints[kind]
  if (!endpoint) throw new CommandError(`Nobody can ${what} a ${kind}`)
  const answered = await admin.ask(endpoint, { path: { id } })
  if (json) return jsonOf(answered)
  if (what !== 'revoke') return `${done[what]} ${id} (${name}).`
  if ('revokedAt' in found) return `${id} (${name}) was revoked already.`
  return `Revoked ${id} (${name}). A running gateway refuses it within a second.`
}

/** Lets budgets of a key or account begin anew. `asked` is its id, or its name if it is unique; `budget` is the id of one of them. */
export async function resetBudgetsCommand(
  environment: Environment,
  asked: string,
  { budget, json = false }: JsonOption & { readonly budget?: string },
): Promise<string> {
  await using admin = await openAdmin(environment)
  const keys = await allKeys(admin)
  const live = [
    keys.filter(({ revokedAt }) => revokedAt === undefined),
    ...(await Promise.all(accountKinds.toReversed().map((kind) => allAccounts(admin, kind)))),
  ].flat()
  const { id, name } = findNamed(live, asked, { what: 'holder', list: 'keys' })
  const reset = await admin.ask(resetBudgets, {
    body: { holder: id, ...(budget !== undefined && { budget }) },
  })
  if (json) return JSON.stringify(reset, null, 2)
  return `Reset ${reset.budgets.length === 1 ? 'the budget' : 'the budgets'} ${reset.budgets.join(', ')} of ${id} (${name}).`
}

/** As JSON. Keys are shown without their kind. */
export function jsonOf(shown: unknown): string {
  if (!isObject(shown) || shown['object'] !== 'key') return JSON.stringify(shown, null, 2)
  const { object: _, ...key } = shown
  return JSON.stringify(key, null, 2)
}

/** The dollars and the period of a budget, such as `10/month` or `1/24h`. */
export function budgetAmount({ limitMicroUsd, window }: Omit<Budget, 'id'>): string {
  return `${limitMicroUsd / 1_000_000}/${typeof window === 'number' ? `${window}h` : window}`
}

/** Formats a budget for a table, such as `$10/month`. */
export function shownBudget(budget: Omit<Budget, 'id'>): string {
  const { timeZone, model, tag, overBudget } = budget
  const over = overBudget === undefined ? '' : ` then ${overBudget.route}`
  const of = [timeZone, model, tag].filter((part) => part !== undefined).map((part) => ` (${part})`)
  return `$${budgetAmount(budget)}${of.join('')}${over}`
}
