import { invalidRequest } from '@sluice/contract'
import { adminOf, seenKeys, seesAccount } from '@sluice/gateway/accounts/rights.ts'
import type { Address } from '../address.ts'
import { one } from '../models.ts'
import { object, query, text } from '../openapi-written.ts'
import { assertKnown } from '../usage-query.ts'
import { readers } from './endpoint.ts'
import { gatewayAddress } from './gateway-endpoint.ts'

const idsMax = 100

/** Resolves ids to names of keys and accounts, without reading the whole lists. */
export const nameAddresses: readonly Address[] = [
  gatewayAddress({
    method: 'GET',
    path: '/admin/v1/names',
    roles: readers,
    operationId: 'listNames',
    summary: 'Get what keys and accounts are called, by their ids',
    tag: 'Administration',
    parameters: [
      query('ids', text, `Ids of keys and accounts, separated by commas; at most ${idsMax}.`),
    ],
    reply: object({
      data: {
        type: 'array',
        description: 'Of those that are there and may be seen.',
        items: object({
          id: text,
          kind: { enum: ['key', 'user', 'team', 'organization'] },
          name: text,
          isFixed: {
            type: 'boolean',
            description: 'Whether it is a key of the settings, which is changed there.',
          },
        }),
      },
    }),
    async serve({ gateway, key, request }) {
      assertKnown(request.query, ['ids'])
      const ids = new Set((one(request.query, 'ids') ?? '').split(',').filter((id) => id !== ''))
      if (ids.size > idsMax) throw invalidRequest(`'ids' may name ${idsMax} at most`, 'ids')
      const { store } = gateway
      const admin = adminOf(key)
      const accounts = await store.listAccounts()
      const fixed = gateway.keys.fixed()
      const fixedIds = new Set(fixed.map(({ id }) => id))
      const all = [...fixed, ...(await store.listKeys())]
      const named = [
        ...seenKeys(admin, all, accounts).map(({ id, name }) => ({ id, kind: 'key', name })),
        ...accounts.filter((account) => seesAccount(admin, account)),
      ]
      return {
        data: named.flatMap(({ id, kind, name }) =>
          ids.has(id) ? [{ id, kind, name, isFixed: fixedIds.has(id) }] : [],
        ),
      }
    },
  }),
]
