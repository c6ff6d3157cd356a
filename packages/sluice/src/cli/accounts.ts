import type { ShownAccount } from '@sluice/gateway/accounts/account-changes.ts'
import type { Environment } from '../config/env.ts'
import type { AccountKind, Budget } from '@sluice/gateway/ports/account.ts'
import { findNamed, listAll, openAdmin } from './ask-admin.ts'
import { CommandError } from './command-error.ts'
import { formatTable } from './table.ts'
import { clearedTerms, type TermsOptions, termsOf } from './terms-options.ts'

export interface AccountOptions extends TermsOptions {
  readonly name?: string
  /** The id of the parent. */
  readonly in?: string
  /** Terms to remove. */
  readonly clear?: readonly string[]
  readonly json?: boolean
}

/** Creates an organization, a team or a user; prints its id, or JSON. */
export async function createAccountCommand(
  environment: Environment,
  kind: AccountKind,
  options: AccountOptions,
): Promise<string> {
  await using admin = await openAdmin(environment)
  const made: ShownAccount = await admin.ask(`POST ${pathOf(kind)}`, {
    name: options.name,
    ...(options.in !== undefined && { parentId: options.in }),
    ...termsOf(options, Date.now()),
  })
  return options.json === true ? JSON.stringify(made, null, 2) : made.id
}

/** Lists all accounts of a kind, oldest first. */
export async function listAccountsCommand(
  environment: Environment,
  kind: AccountKind,
  { json = false }: { readonly json?: boolean },
): Promise<string> {
  await using admin = await openAdmin(environment)
  const accounts = await listAll<ShownAccount>(admin, pathOf(kind))
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

/** Changes a name or terms. */
export async function changeAccountCommand(
  environment: Environment,
  kind: AccountKind,
  { asked, options }: { readonly asked: string; readonly options: AccountOptions },
): Promise<string> {
  await using admin = await openAdmin(environment)
  const changes = {
    ...clearedTerms(options.clear),
    ...(options.name !== undefined && { name: options.name }),
    ...termsOf(options, Date.now()),
  }
  const fields = Object.keys(changes)
  if (fields.length === 0)
    throw new CommandError(`Say what shall be otherwise: sluice ${kind}s change --help`)
  const { id } = await accountNamed(kind, asked, admin)
  const changed: ShownAccount = await admin.ask(`PATCH ${pathOf(kind)}/${id}`, changes)
  if (options.json === true) return JSON.stringify(changed, null, 2)
  return `Changed ${id} (${changed.name}): ${fields.join(', ')}.`
}

interface SwitchOptions {
  /** The id or the name. */
  readonly asked: string
  readonly what: 'disable' | 'enable' | 'delete' | 'unlink'
  readonly json?: boolean
}

/** Disables, enables, deletes or unlinks an account. */
export async function switchAccountCommand(
  environment: Environment,
  kind: AccountKind,
  { asked, what, json = false }: SwitchOptions,
): Promise<string> {
  await using admin = await openAdmin(environment)
  const { id, name } = await accountNamed(kind, asked, admin)
  const answer: object = await admin.ask(
    what === 'delete' ? `DELETE ${pathOf(kind)}/${id}` : `POST ${pathOf(kind)}/${id}/${what}`,
  )
  if (json) return JSON.stringify(answer, null, 2)
  return `${what[0]?.toUpperCase()}${what.slice(1)}${what.endsWith('e') ? 'd' : 'ed'} ${id} (${name}).`
}

async function accountNamed(
  kind: AccountKind,
  asked: string,
  admin: Parameters<typeof listAll>[0],
): Promise<ShownAccount> {
  const accounts = await listAll<ShownAccount>(admin, pathOf(kind))
  return findNamed(accounts, asked, { what: kind, list: `${kind}s` })
}

function pathOf(kind: AccountKind): string {
  return `/admin/v1/${kind}s`
}

/** Formats a budget for a table, such as `$10/month`. */
export function shownBudget({
  limitMicroUsd,
  window,
  timeZone,
  model,
  tag,
  overBudget,
}: Budget): string {
  const over = overBudget === undefined ? '' : ` then ${overBudget.route}`
  const of = [timeZone, model, tag].filter((part) => part !== undefined).map((part) => ` (${part})`)
  return `$${limitMicroUsd / 1_000_000}/${typeof window === 'number' ? `${window}h` : window}${of.join('')}${over}`
}
