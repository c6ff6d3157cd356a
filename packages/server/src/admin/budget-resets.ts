import { oneOf, Type } from '@sluice/contract'
import { administer } from '@sluice/gateway/accounts/administer.ts'
import { budgetReset } from '@sluice/gateway/accounts/budget-resets.ts'
import { endpoint, teamChangers } from '../endpoint.ts'
import { described, documented } from '../shapes.ts'
import { closed, id } from './schemas.ts'

const reply = Type.Object({
  object: oneOf(['budgets.reset']),
  holder: id,
  budgets: Type.Array(id),
  resetAt: Type.Integer({ description: 'Milliseconds since the epoch.' }),
})

/** Counts budgets of keys and accounts anew. */
export const resetBudgets = endpoint({
  method: 'POST',
  path: '/admin/v1/budgets/reset',
  access: teamChangers,
  operationId: 'resetBudgets',
  summary: 'Reset the budgets of a key or account: earlier spending no longer counts',
  tag: 'Administration',
  body: closed({
    holder: described(id, 'The id of a key, user, team or organization.'),
    budget: Type.Optional(described(id, 'The id of one of its budgets. Default: all of them.')),
  }),
  example: { holder: 'key_0123456789abcdef' },
  reply: documented(reply),
  onStore: ({ body }, context) => administer(context, budgetReset(context.admin, body, context.at)),
})
