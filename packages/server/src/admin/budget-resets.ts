import { oneOf, Type } from '@sluice/contract'
import { administer } from '@sluice/gateway/accounts/administer.ts'
import { type AskedReset, budgetReset } from '@sluice/gateway/accounts/budget-resets.ts'
import { toJsonSchema } from '../openapi-schema.ts'
import { type AdminEndpoint, teamChangers } from './endpoint.ts'
import { closed } from './schemas.ts'

const id = Type.String({ minLength: 1, maxLength: 100 })

const reply = Type.Object({
  object: oneOf(['budgets.reset']),
  holder: id,
  budgets: Type.Array(id),
  resetAt: Type.Integer({ description: 'Milliseconds since the epoch.' }),
})

/** Counts budgets of keys and accounts anew. */
export const budgetResetEndpoints: readonly AdminEndpoint[] = [
  {
    method: 'POST',
    path: '/admin/v1/budgets/reset',
    roles: teamChangers,
    operationId: 'resetBudgets',
    summary: 'Let the budgets of a key or account begin anew: what was spent before does not count',
    body: closed({
      holder: Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'The id of a key, user, team or organization.',
      }),
      budget: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 100,
          description: 'The id of one of its budgets. Default: all of them.',
        }),
      ),
    }),
    example: { holder: 'key_0123456789abcdef' },
    reply: toJsonSchema(reply, 'json'),
    serve: ({ store, admin, at, hasFixedOwner }, { body }) =>
      administer(
        { store, actor: admin.id, at, hasFixedOwner },
        budgetReset(admin, body as unknown as AskedReset, at),
      ),
  },
]
