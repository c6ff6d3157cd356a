import { hash } from 'node:crypto'
import type { Account } from '@sluice/gateway/ports/account.ts'
import { type ImportedAccounts, importedId, nameOf } from './imported-accounts.ts'
import type { LitellmNames } from './litellm-config.ts'
import { memberName, readLitellmKey } from './litellm-keys.ts'
import { type LitellmContext, readTerms } from './litellm-terms.ts'
import type { FieldReport } from './report.ts'
import { RowReports, SourceRow } from './source-rows.ts'
import type { Tables } from './source-tables.ts'

const organizations = 'LiteLLM_OrganizationTable'
const teams = 'LiteLLM_TeamTable'
const users = 'LiteLLM_UserTable'
const tokens = 'LiteLLM_VerificationToken'
const budgets = 'LiteLLM_BudgetTable'
const deprecated = 'LiteLLM_DeprecatedVerificationToken'
const memberships = 'LiteLLM_TeamMembership'

/** Tables of which only the report says something, and why their rows are not taken. */
const otherTables: Readonly<Record<string, readonly [label: string, why: string]>> = {
  LiteLLM_OrganizationMembership: [
    'user_id',
    'a user has no budget of its own within an organization',
  ],
  LiteLLM_EndUserTable: [
    'user_id',
    'end users have no budgets: make a key for each, or count by tag',
  ],
  LiteLLM_TagTable: ['tag_name', 'a budget counts a tag within a key or an account'],
  LiteLLM_ProjectTable: ['project_alias', 'there is no level between teams and keys'],
  LiteLLM_ProxyModelTable: [
    'model_name',
    'its parameters are encrypted with LiteLLM’s salt key: add the provider and the route here',
  ],
  LiteLLM_CredentialsTable: [
    'credential_name',
    'its values are encrypted with LiteLLM’s salt key: add the provider here',
  ],
}

/** The tables of LiteLLM's database that are read (its `schema.prisma`). */
export const litellmTables: readonly string[] = [
  organizations,
  teams,
  users,
  tokens,
  budgets,
  deprecated,
  memberships,
  ...Object.keys(otherTables),
]

/** Organizations, teams, users and keys of LiteLLM's database, with their limits, budgets and what was spent of them. */
export function importLitellmAccounts(
  tables: Tables,
  { now, names }: { readonly now: number; readonly names: LitellmNames },
): ImportedAccounts & { readonly report: readonly FieldReport[] } {
  const reports = new RowReports()
  const rowsOf = (table: string, ...labels: readonly string[]) =>
    (tables.get(table) ?? []).map((row) => {
      const label = nameOf(
        ...labels.map((name) => (typeof row[name] === 'string' ? row[name] : undefined)),
      )
      return new SourceRow({ table, row, label }, reports)
    })
  const budgetRows = rowsOf(budgets, 'budget_id')
  const context: LitellmContext = {
    now,
    names,
    budgets: new Map(budgetRows.map((row) => [row.text('budget_id') ?? '', row])),
  }
  const accounts = new Map<string, Account>()
  for (const row of rowsOf(organizations, 'organization_alias', 'organization_id'))
    addAccount(row, organizationOf(row, context))
  for (const row of rowsOf(teams, 'team_alias', 'team_id')) addAccount(row, teamOf(row, context))
  for (const row of rowsOf(users, 'user_email', 'user_alias', 'user_id'))
    addAccount(row, userOf(row, context))
  for (const row of rowsOf(memberships, 'user_id')) {
    const member = memberOf(row, accounts, context)
    if (member) accounts.set(member.id, member)
  }
  const older = Map.groupBy(rowsOf(deprecated, 'id'), (row) => row.text('active_token_id') ?? '')
  const { masterKey } = names
  const keys = rowsOf(tokens, 'key_alias', 'key_name').flatMap((row) => {
    const found = readLitellmKey(row, {
      ...context,
      accounts,
      older: older.get(row.text('token') ?? '') ?? [],
      masterHash: masterKey === undefined ? undefined : hash('sha256', masterKey),
    })
    return found ? [found] : []
  })
  for (const row of budgetRows) row.end(budgetReasons)
  for (const [table, [label, why]] of Object.entries(otherTables))
    for (const row of rowsOf(table, label)) row.leave(why)
  return { accounts: [...accounts.values()], keys, report: reports.report() }

  function addAccount(row: SourceRow, account: Account): void {
    const { parentId } = account
    const isLost = parentId !== undefined && !accounts.has(parentId)
    if (isLost) row.left('organization_id', 'there is no such organization')
    const { parentId: _parentId, ...alone } = account
    accounts.set(account.id, isLost ? alone : account)
    row.end(accountReasons)
  }
}

function organizationOf(row: SourceRow, context: LitellmContext): Account {
  const theirs = row.text('organization_id') ?? ''
  row.taken('organization_id', 'the id here is made of it')
  row.taken('organization_alias', 'name')
  return accountOf(row, { kind: 'organization', theirs, name: row.label }, context)
}

function teamOf(row: SourceRow, context: LitellmContext): Account {
  const theirs = row.text('team_id') ?? ''
  row.taken('team_id', 'the id here is made of it')
  row.taken('team_alias', 'name')
  return accountOf(row, { kind: 'team', theirs, name: row.label }, context)
}

function userOf(row: SourceRow, context: LitellmContext): Account {
  const theirs = row.text('user_id') ?? ''
  row.taken('user_id', 'the id here is made of it')
  for (const name of ['user_email', 'user_alias'])
    if (row.text(name) === row.label) row.taken(name, 'name')
    else row.left(name, 'a user has one name')
  return accountOf(row, { kind: 'user', theirs, name: row.label }, context)
}

/**
 * What LiteLLM bounds of a user within a team: a user of the team, which owns the keys that the user has there. Undefined if it
 * bounds nothing.
 */
function memberOf(
  row: SourceRow,
  accounts: ReadonlyMap<string, Account>,
  context: LitellmContext,
): Account | undefined {
  const [user = '', team = ''] = [row.text('user_id'), row.text('team_id')]
  const parentId = importedId('team', 'litellm', team)
  const parent = accounts.get(parentId)
  const budget = context.budgets.get(row.text('budget_id') ?? '')
  if (!parent || !budget) {
    row.leave(parent ? 'without a budget it bounds nothing' : 'there is no such team')
    return undefined
  }
  const name = accounts.get(importedId('user', 'litellm', user))?.name ?? user
  for (const column of ['user_id', 'team_id'])
    row.changed(column, 'a user of the team, for the keys of both')
  const models = budget.list('allowed_models')
  if (models.length > 0) budget.changed('allowed_models', 'models of what has this budget')
  const named = {
    kind: 'user',
    theirs: memberName(user, team),
    name: nameOf(`${name} (${parent.name})`),
  } as const
  const account = accountOf(row, named, context)
  row.end({ total_spend: 'the records of calls stay with LiteLLM' })
  return { ...account, parentId, ...(models.length > 0 && { models }) }
}

interface Named {
  readonly kind: Account['kind']
  readonly theirs: string
  readonly name: string
}

function accountOf(
  row: SourceRow,
  { kind, theirs, name }: Named,
  context: LitellmContext,
): Account {
  const id = importedId(kind, 'litellm', theirs)
  const { terms, isUnbounded } = readTerms(row, id, context)
  const organization = kind === 'organization' ? undefined : row.text('organization_id')
  if (organization !== undefined) row.taken('organization_id', 'parent')
  const isBlocked = row.flag('blocked')
  row.changed('blocked', 'disabled')
  row.taken('created_at')
  return {
    id,
    kind,
    name,
    ...(organization !== undefined && {
      parentId: importedId('organization', 'litellm', organization),
    }),
    createdAt: row.time('created_at') ?? context.now,
    ...((isBlocked || isUnbounded) && { disabledAt: context.now }),
    ...terms,
  }
}

const ofLitellm = 'it is of LiteLLM’s own administration'
const accountReasons: Readonly<Record<string, string>> = {
  access_group_ids: 'write the models of the group into the list',
  admins: 'give an administrator key of the team to those who manage it',
  allow_team_guardrail_config: 'Sluice runs no code of yours in a call',
  allowed_cache_controls: 'Sluice does not keep responses to answer with them again',
  budget_limits: 'write them as budgets',
  created_by: ofLitellm,
  default_team_member_models: 'a member has no list of its own within a team',
  last_active: ofLitellm,
  members: 'users belong to one team at most: keys of the team name their user in metadata',
  members_with_roles:
    'users belong to one team at most: keys of the team name their user in metadata',
  model_id: 'names of models are those of routes, for all',
  object_permission_id: 'there are no permissions for MCP servers, agents and stores',
  password: 'people sign in by console.oidc, or with a key',
  policies: 'Sluice runs no code of yours in a call',
  router_settings: 'routes are the same for all',
  soft_budget: 'set budgetUsed in alerts',
  sso_user_id: 'people sign in by console.oidc, and are linked at their first sign-in',
  team_id: 'users belong to one team at most: keys of the team name their user in metadata',
  team_member_permissions: 'roles of administrator keys say what they may do',
  teams: 'users belong to one team at most: keys of the team name their user in metadata',
  updated_at: ofLitellm,
  updated_by: ofLitellm,
  user_role: 'administrators are made here: sluice keys create --role administrator',
}

const budgetReasons: Readonly<Record<string, string>> = {
  allowed_models: 'a member has no list of its own within a team',
  budget_id: 'its values are written into what has it',
  created_at: ofLitellm,
  created_by: ofLitellm,
  max_budget: 'nothing that is imported has this budget',
  budget_duration: 'nothing that is imported has this budget',
  budget_reset_at: 'nothing that is imported has this budget',
  max_parallel_requests: 'nothing that is imported has this budget',
  model_max_budget: 'write it as budgets with model',
  rpm_limit: 'nothing that is imported has this budget',
  soft_budget: 'set budgetUsed in alerts',
  tpm_limit: 'nothing that is imported has this budget',
  updated_at: ofLitellm,
  updated_by: ofLitellm,
}
