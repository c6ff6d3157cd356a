import { nanoPerMicro, Type } from '@sluice/contract'
import { adminOf, seenKeys, seesAccount } from '@sluice/gateway/accounts/rights.ts'
import { type HolderBudget, heldBudget } from '@sluice/gateway/admit/claims.ts'
import type { Gateway } from '../gateway.ts'
import type { Budget, Holder } from '@sluice/gateway/ports/account.ts'
import type { ApiKey } from '@sluice/gateway/ports/api-key.ts'
import type { LimitStatus } from '@sluice/gateway/ports/limiter.ts'
import { endpoint, readers } from '../endpoint.ts'
import { parameter } from '../openapi-endpoint.ts'
import {
  described,
  flag,
  integer,
  integerOrNull,
  listOf,
  number,
  object,
  type Of,
  text,
  textOrNull,
  words,
} from '../shapes.ts'
import { filled } from './filled.ts'

/** Maximum number of budgets in one response; larger installations filter by holder. */
const budgetsMax = 1_000

const budgetSchema = object({
  id: text,
  holder: object({
    kind: words(['key', 'user', 'team', 'organization']),
    id: text,
    name: text,
  }),
  window: Type.Unsafe<Budget['window']>({
    anyOf: [words(['day', 'week', 'month', 'lifetime']), integer],
    description: 'A number is of hours, up to now.',
  }),
  timeZone: described(
    textOrNull,
    'Of a calendar window that has its own; null: that of the settings.',
  ),
  resetAt: described(
    integerOrNull,
    'What was spent before does not count, in milliseconds since the epoch.',
  ),
  model: textOrNull,
  tag: textOrNull,
  limitMicroUsd: integer,
  remainingMicroUsd: number,
  resetMs: described(
    integerOrNull,
    'Time until the budget resets, in milliseconds; null for a lifetime.',
  ),
})

/** Lists the remaining amount of each budget. */
export const listBudgets = endpoint({
  method: 'GET',
  path: '/admin/v1/budgets',
  access: readers,
  operationId: 'listBudgets',
  summary: 'List the budgets of organizations, teams, users and keys, and what is left of them',
  tag: 'Usage',
  query: { holder: parameter(text, 'Only those of the account or key with this id.') },
  reply: listOf(budgetSchema, { has_more: flag }),
  async answer({ query: { holder } }, { gateway, key }) {
    const { levels, isAll } = await budgetLevels(
      gateway,
      key,
      ({ claim }) => holder === undefined || claim.holder.id === holder,
    )
    return {
      object: 'list' as const,
      data: levels.map(({ claim, level }) => shownBudget(claim.holder, claim.budget, level)),
      has_more: !isAll,
    }
  },
})

/** What is left of the budgets that a key sees, at most `budgetsMax`. */
export async function budgetLevels(
  gateway: Gateway,
  key: ApiKey,
  isAsked: (budget: HolderBudget) => boolean = () => true,
): Promise<{ readonly levels: readonly BudgetLevel[]; readonly isAll: boolean }> {
  const all = (await budgetsSeenBy(gateway, key)).filter(isAsked)
  const shown = all.slice(0, budgetsMax)
  const found = await gateway.limiter.look(shown.map(({ claim }) => claim))
  const levels = shown.flatMap(({ claim }, at) => {
    const level = found[at]
    return level ? [{ claim, level }] : []
  })
  return { levels, isAll: all.length === shown.length }
}

export interface BudgetLevel extends Pick<HolderBudget, 'claim'> {
  readonly level: LimitStatus
}

async function budgetsSeenBy(
  { store, settings }: Gateway,
  key: ApiKey,
): Promise<readonly HolderBudget[]> {
  const { limits } = settings.config()
  const admin = adminOf(key)
  const accounts = await store.listAccounts()
  const keys = seenKeys(admin, await store.listKeys(), accounts)
  const seen = accounts.filter((account) => seesAccount(admin, account))
  const holders: readonly Holder[] = [
    ...seen.map((account) => ({
      kind: account.kind,
      id: account.id,
      name: account.name,
      terms: account,
    })),
    ...keys
      .filter(({ revokedAt }) => revokedAt === undefined)
      .map((one) => ({ kind: 'key' as const, id: one.id, name: one.name, terms: one })),
  ]
  return holders.flatMap((holder) =>
    (holder.terms.budgets ?? []).map((budget) => heldBudget(holder, budget, limits)),
  )
}

function shownBudget(
  { kind, id, name }: Holder,
  budget: Budget,
  { remaining, resetMs }: LimitStatus,
): Of<typeof budgetSchema> {
  return filled(budgetSchema, {
    ...budget,
    holder: { kind, id, name },
    remainingMicroUsd: remaining / nanoPerMicro,
    resetMs: Number.isFinite(resetMs) ? Math.ceil(resetMs) : null,
  })
}
