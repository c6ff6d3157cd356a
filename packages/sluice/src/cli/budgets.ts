import type { BudgetsReset } from '@sluice/gateway/accounts/budget-resets.ts'
import type { Environment } from '../config/env.ts'
import { findNamed, listAll, openAdmin } from './ask-admin.ts'

export interface ResetBudgetsOptions {
  /** The id of one budget. */
  readonly budget?: string
  readonly json?: boolean
}

interface Holder {
  readonly id: string
  readonly name: string
  readonly revokedAt?: number
}

/** Lets budgets of a key or account begin anew. `asked` is its id, or its name if it is unique. */
export async function resetBudgetsCommand(
  environment: Environment,
  asked: string,
  { budget, json = false }: ResetBudgetsOptions,
): Promise<string> {
  await using admin = await openAdmin(environment)
  const holders: Holder[] = []
  for (const list of ['keys', 'users', 'teams', 'organizations'])
    holders.push(...(await listAll<Holder>(admin, `/admin/v1/${list}`)))
  const live = holders.filter(({ revokedAt }) => revokedAt === undefined)
  const { id, name } = findNamed(live, asked, { what: 'holder', list: 'keys' })
  const reset: BudgetsReset = await admin.ask('POST /admin/v1/budgets/reset', {
    holder: id,
    ...(budget !== undefined && { budget }),
  })
  if (json) return JSON.stringify(reset, null, 2)
  return `Reset ${reset.budgets.length === 1 ? 'the budget' : 'the budgets'} ${reset.budgets.join(', ')} of ${id} (${name}).`
}
