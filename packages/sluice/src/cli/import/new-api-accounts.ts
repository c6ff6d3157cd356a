import type { Account, Budget } from '@sluice/gateway/ports/account.ts'
import { hashSecret, prefixOf } from '@sluice/gateway/accounts/secrets.ts'
import { isAddressBlock } from '@sluice/gateway/settings/address-block.ts'
import {
  type ImportedAccounts,
  importedId,
  microUsdOf,
  movedBudget,
  nameOf,
} from './imported-accounts.ts'
import { type Channel, splitList } from './new-api-channels.ts'
import type { FieldReport } from './report.ts'
import { labelOf, RowReports, SourceRow } from './source-rows.ts'
import type { Tables } from './source-tables.ts'
import { weaknessOf } from './weak-secrets.ts'

/** The tables of new-api's database that are read. */
export const newApiTables: readonly string[] = ['channels', 'users', 'tokens', 'options']

/** What a US dollar is in new-api unless its option QuotaPerUnit says otherwise (`common/constants.go`). */
const quotaPerUsdUsual = 500_000
/** Of users and tokens. */
const enabled = 1
const modelsMax = 100

interface Context {
  readonly now: number
  readonly quotaPerUsd: number
  readonly channels: readonly Channel[]
  readonly users: ReadonlyMap<string, { readonly account: Account; readonly group: string }>
}

/** Users and keys of new-api's database, with their quotas as budgets, and what was spent of them. */
export function importNewApiAccounts(
  tables: Tables,
  { now, channels }: { readonly now: number; readonly channels: readonly Channel[] },
): ImportedAccounts & { readonly report: readonly FieldReport[] } {
  const reports = new RowReports()
  const rowsOf = (table: string, name: string) =>
    (tables.get(table) ?? []).map((row) => {
      const label = labelOf(row, name)
      return new SourceRow({ table, row, label }, reports)
    })
  const quotaPerUsd = readQuotaPerUsd(tables)
  const users = new Map(
    rowsOf('users', 'username').flatMap((row) => {
      const found = readUser(row, { now, quotaPerUsd })
      return found ? [[row.text('id') ?? '', found] as const] : []
    }),
  )
  const context = { now, quotaPerUsd, channels, users }
  const keys = rowsOf('tokens', 'name').flatMap((row) => {
    const key = readToken(row, context)
    return key ? [key] : []
  })
  for (const row of rowsOf('options', 'key')) leaveOption(row)
  const accounts = [...users.values()].map(({ account }) => account)
  return { accounts, keys, report: reports.report() }
}

function leaveOption(row: SourceRow): void {
  const name = row.text('key') ?? ''
  if (name === 'QuotaPerUnit') row.taken('value', 'quotas are divided by it')
  else if (/Ratio|Price/.test(name))
    row.left('value', 'prices come from Sluice’s own list: write yours under prices')
  else row.left('value', 'it is a setting of new-api')
}

function readQuotaPerUsd(tables: Tables): number {
  const option = (tables.get('options') ?? []).find((row) => row['key'] === 'QuotaPerUnit')
  const value = Number(option?.['value'])
  return Number.isFinite(value) && value > 0 ? value : quotaPerUsdUsual
}

function readUser(row: SourceRow, { now, quotaPerUsd }: Pick<Context, 'now' | 'quotaPerUsd'>) {
  if (row.text('deleted_at') !== undefined || row.time('deleted_at') !== undefined) {
    row.leave('it is deleted')
    return undefined
  }
  const theirs = row.text('id') ?? ''
  const id = importedId('user', 'new-api', theirs)
  const used = (row.number('used_quota') ?? 0) / quotaPerUsd
  const left = Math.max(0, row.number('quota') ?? 0) / quotaPerUsd
  const budget: Budget = movedBudget(
    {
      id: importedId('budget', 'new-api', id),
      limitMicroUsd: microUsdOf(used + left),
      window: 'lifetime',
    },
    used,
    now,
  )
  row.changed('quota', 'what is left of a budget for all time')
  row.changed('used_quota', 'what was spent of that budget')
  row.changed('status', 'disabled unless it is 1')
  row.changed('group', 'models of the group stand in the lists of its keys')
  for (const name of ['id', 'username', 'created_at']) row.taken(name)
  const createdAt = row.number('created_at')
  const account: Account = {
    id,
    kind: 'user',
    name: nameOf(row.text('username'), theirs),
    createdAt: createdAt === undefined || createdAt <= 0 ? now : createdAt * 1_000,
    ...((row.number('status') ?? enabled) !== enabled && { disabledAt: now }),
    budgets: [budget],
  }
  row.end(userReasons)
  return { account, group: row.text('group') ?? 'default' }
}

/** A token as a key. Its secret is in the table, so that its hash is ours. */
function readToken(row: SourceRow, context: Context): ImportedAccounts['keys'][number] | undefined {
  const secret = row.text('key')?.trim() ?? ''
  const user = context.users.get(row.text('user_id') ?? '')
  const reason =
    row.text('deleted_at') !== undefined || row.time('deleted_at') !== undefined
      ? 'it is deleted'
      : secret === ''
        ? 'it has no secret'
        : user === undefined
          ? 'there is no such user'
          : weaknessOf(secret)
  if (reason !== undefined || !user) {
    row.leave(reason ?? '')
    return undefined
  }
  const { now } = context
  const theirs = row.text('id') ?? ''
  const id = importedId('key', 'new-api', theirs)
  const models = modelsOf(row, user.group, context)
  const addresses = addressesOf(row)
  const budget = tokenBudget(row, id, context)
  const expired = row.number('expired_time') ?? -1
  const created = row.number('created_time') ?? 0
  const isHeld = models === 'too long' || addresses === 'unknown'
  for (const name of ['id', 'name', 'user_id', 'created_time']) row.taken(name)
  row.changed('key', 'the hash of the secret')
  row.changed('status', 'disabled, or by its end and its budget')
  row.changed('expired_time', 'expiresAt')
  const key: ImportedAccounts['keys'][number] = {
    id,
    name: nameOf(row.text('name'), `token ${theirs}`),
    hash: hashSecret(secret),
    prefix: prefixOf(`sk-${secret.replace(/^sk-/, '')}`),
    createdAt: created > 0 ? created * 1_000 : now,
    ownerId: user.account.id,
    ...((isDisabled(row, expired) || isHeld) && { disabledAt: now }),
    ...(expired > 0 && { expiresAt: expired * 1_000 }),
    ...(Array.isArray(models) && { models }),
    ...(Array.isArray(addresses) && { addresses }),
    ...(budget && { budgets: [budget] }),
  }
  row.end(tokenReasons)
  return key
}

/** 2 is disabled and 3 expired; 4 is exhausted, as its budget says. */
function isDisabled(row: SourceRow, expired: number): boolean {
  const status = row.number('status')
  return status === 2 || (status === 3 && expired <= 0)
}

function tokenBudget(
  row: SourceRow,
  id: string,
  { quotaPerUsd, now }: Context,
): Budget | undefined {
  row.changed('unlimited_quota', 'no budget')
  if (row.flag('unlimited_quota')) {
    for (const name of ['remain_quota', 'used_quota']) row.left(name, 'the quota is unlimited')
    return undefined
  }
  const used = Math.max(0, row.number('used_quota') ?? 0) / quotaPerUsd
  const left = Math.max(0, row.number('remain_quota') ?? 0) / quotaPerUsd
  row.changed('remain_quota', 'what is left of a budget for all time')
  row.changed('used_quota', 'what was spent of that budget')
  return movedBudget(
    {
      id: importedId('budget', 'new-api', id),
      limitMicroUsd: microUsdOf(used + left),
      window: 'lifetime',
    },
    used,
    now,
  )
}

/** The models that a token may use: its own list, and those of the channels of its group if there are others. */
function modelsOf(
  row: SourceRow,
  userGroup: string,
  { channels }: Context,
): readonly string[] | 'too long' | undefined {
  const listed = row.flag('model_limits_enabled')
    ? splitList(row.text('model_limits') ?? '')
    : undefined
  row.changed('model_limits_enabled', 'models')
  if (listed) row.taken('model_limits', 'models')
  else row.left('model_limits', 'it is not enabled')
  const group = row.text('group') ?? userGroup
  const all = new Set(channels.flatMap(({ models }) => [...models.keys()]))
  const offered = new Set(
    channels.flatMap(({ groups, models }) => (groups.includes(group) ? [...models.keys()] : [])),
  )
  // `auto` goes from group to group.
  const isBound = channels.length > 0 && group !== 'auto' && offered.size < all.size
  row.changed('group', isBound ? 'models: those of its group' : 'its group offers all models')
  if (!listed && !isBound) return undefined
  const models = (listed ?? [...offered]).filter((name) => !isBound || offered.has(name))
  if (models.length <= modelsMax) return models
  row.left(
    listed ? 'model_limits' : 'group',
    `a list has at most ${modelsMax}: the key is disabled until it has one`,
  )
  return 'too long'
}

function addressesOf(row: SourceRow): readonly string[] | 'unknown' | undefined {
  const blocks = (row.text('allow_ips') ?? '').split(/[\s,]+/).filter((one) => one !== '')
  if (blocks.length === 0) return undefined
  if (blocks.every(isAddressBlock)) {
    row.changed('allow_ips', 'addresses')
    return blocks
  }
  row.left('allow_ips', 'it has what is no address: the key is disabled until it has addresses')
  return 'unknown'
}

const ofNewApi = 'it is of new-api’s own administration'
const bySignIn = 'people sign in by console.oidc, and are linked at their first sign-in'
const userReasons: Readonly<Record<string, string>> = {
  access_token: 'administrators are made here: sluice keys create --role administrator',
  aff_code: 'there are no invitations',
  aff_count: 'there are no invitations',
  aff_history: 'there are no invitations',
  aff_quota: 'there are no invitations',
  auth_version: ofNewApi,
  discord_id: bySignIn,
  display_name: 'a user has one name',
  email: 'a user has one name',
  github_id: bySignIn,
  inviter_id: 'there are no invitations',
  last_login_at: ofNewApi,
  linux_do_id: bySignIn,
  oidc_id: bySignIn,
  password: bySignIn,
  remark: 'accounts have metadata for this',
  request_count: 'the records of calls stay with new-api',
  role: 'administrators are made here: sluice keys create --role administrator',
  setting: ofNewApi,
  stripe_customer: 'there are no payments',
  telegram_id: bySignIn,
  verification_code: ofNewApi,
  wechat_id: bySignIn,
}

const tokenReasons: Readonly<Record<string, string>> = {
  accessed_time: ofNewApi,
  billing_type: 'there are no payments',
  cross_group_retry: 'routes have fallbacks of their own',
}
