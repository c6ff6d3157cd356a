import { invalidRequest } from '@sluice/contract'
import { adminOf, seenKeys, seesAccount } from '@sluice/gateway/accounts/rights.ts'
import { endpoint, readers } from '../endpoint.ts'
import { parameter } from '../openapi-endpoint.ts'
import { described, flag, list, object, text, words } from '../shapes.ts'

const idsMax = 100

/** Resolves ids to names of keys and accounts, without reading the whole lists. */
export const listNames = endpoint({
  method: 'GET',
  path: '/admin/v1/names',
  access: readers,
  operationId: 'listNames',
  summary: 'Get what keys and accounts are called, by their ids',
  tag: 'Administration',
  query: {
    ids: parameter(text, `Ids of keys and accounts, separated by commas; at most ${idsMax}.`),
  },
  refusesUnknown: true,
  reply: object({
    data: list(
      object({
        id: text,
        kind: words(['key', 'user', 'team', 'organization']),
        name: text,
        isFixed: described(
          flag,
          'Whether the key is defined in the settings, where it has to be changed.',
        ),
      }),
      'Of those that are there and may be seen.',
    ),
  }),
  async answer({ query }, { gateway, key }) {
    const ids = new Set((query.ids ?? '').split(',').filter((id) => id !== ''))
    if (ids.size > idsMax) throw invalidRequest(`'ids' may name ${idsMax} at most`, 'ids')
    const { store } = gateway
    const admin = adminOf(key)
    const accounts = await store.listAccounts()
    const fixed = gateway.keys.fixed()
    const fixedIds = new Set(fixed.map(({ id }) => id))
    const all = [...fixed, ...(await store.listKeys())]
    const keys = seenKeys(admin, all, accounts)
    const named = [
      ...keys.map(({ id, name }) => ({ id, kind: 'key' as const, name })),
      ...accounts.filter((account) => seesAccount(admin, account)),
    ]
    return {
      data: named.flatMap(({ id, kind, name }) =>
        ids.has(id) ? [{ id, kind, name, isFixed: fixedIds.has(id) }] : [],
      ),
    }
  },
})
