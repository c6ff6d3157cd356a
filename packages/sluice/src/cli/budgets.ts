import type { Environment } from '../config/env.ts'
import { resetBudgets } from '@sluice/server/admin/budget-resets.ts'
import { allAccounts, allKeys, findNamed, openAdmin } from './ask-admin.ts'

export interface ResetBudgetsOptions {
  /** The id of one budget. */
  readonly budget?: string
  readonly json?: boolean
}

/** Lets budgets of a key or account begin anew. `asked` is its id, or its name if it is unique. */
export async function resetBudgetsCommand(
  environment: Environment,
  asked: string,
  { budget, json = false }: ResetBudgetsOptions,
): Promise<string> {
  await using admin = await openAdmin(environment)
  const keys = await allKeys(admin)
  const live = [
    ...keys.filter(({ revokedAt }) => revokedAt === undefined),
    ...(await allAccounts(admin, 'user')),
    ...(await allAccounts(admin, 'team')),
    ...(await allAccounts(admin, 'organization')),
  ]
  const { id, name } = findNamed(live, asked, { what: 'holder', list: 'keys' })
  const reset = await admin.ask(resetBudgets, {
    body: { holder: id, ...(budget !== undefined && { budget }) },
  })
  if (json) return JSON.stringify(reset, null, 2)
  return `Reset ${reset.budgets.length === 1 ? 'the budget' : 'the budgets'} ${reset.budgets.join(', ')} of ${id} (${name}).`
}
