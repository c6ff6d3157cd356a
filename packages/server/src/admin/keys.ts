import { administer } from '@sluice/gateway/accounts/administer.ts'
import {
  findKey,
  keyChange,
  keyCreation,
  keyDisabling,
  keyEnabling,
  keyRevocation,
  keyRotation,
  shownKey,
} from '@sluice/gateway/accounts/key-changes.ts'
import { seenKeys } from '@sluice/gateway/accounts/rights.ts'
import { addressOf, endpoint, readers, teamChangers } from '../endpoint.ts'
import { parameter } from '../openapi-endpoint.ts'
import { namedAs, pageIn, searched } from '../query.ts'
import { documented, pageOf, text } from '../shapes.ts'
import {
  keyChangesBody,
  keyCreationBody,
  keyWithSecretSchema,
  rotationBody,
  shownKeySchema,
  checkedTerms,
  withTerms,
} from './schemas.ts'

const path = '/admin/v1/keys'
const tag = 'Administration'
const changing = { method: 'POST', access: teamChangers, tag } as const
const shown = documented(shownKeySchema)
const withSecret = documented(keyWithSecretSchema)

/** Stored keys. Keys in the configuration are changed there. */
export const keyEndpoints = {
  list: endpoint({
    method: 'GET',
    path,
    access: readers,
    operationId: 'listKeys',
    summary: 'List the keys, without their secrets',
    tag,
    query: { ...searched, ownerId: parameter(text, 'Only keys of this user or team.') },
    reply: pageOf(shown),
    async onStore({ query }, { store, admin }) {
      const { ownerId } = query
      const seen = seenKeys(admin, await store.listKeys(), await store.listAccounts())
      const keys = namedAs(query, seen).filter(
        (key) => ownerId === undefined || key.ownerId === ownerId,
      )
      const page = pageIn(keys, query)
      const used = await store.lastUse()
      return {
        ...page,
        data: page.data.map((key) => {
          const lastUsedAt = used.get(key.id)
          return { ...shownKey(key), ...(lastUsedAt !== undefined && { lastUsedAt }) }
        }),
      }
    },
  }),
  create: endpoint({
    ...changing,
    path,
    operationId: 'createKey',
    summary: 'Create a key; its secret is shown only in this response',
    body: keyCreationBody,
    example: { name: 'app', models: ['openai/*'], requestsPerMinute: 60 },
    reply: withSecret,
    onStore: ({ body }, context) =>
      administer(context, keyCreation(context.admin, withTerms(body), context.at)),
  }),
  get: endpoint({
    method: 'GET',
    path: `${path}/{id}`,
    access: readers,
    operationId: 'getKey',
    summary: 'Retrieve a key, without its secret',
    tag,
    reply: shown,
    async onStore({ path: { id } }, { store, admin }) {
      const state = { accounts: await store.listAccounts(), keys: await store.listKeys() }
      return shownKey(findKey(admin, state, id))
    },
  }),
  change: endpoint({
    ...changing,
    method: 'PATCH',
    path: `${path}/{id}`,
    operationId: 'changeKey',
    summary: 'Change a key, its owner or its role; null takes a term or the owner away',
    body: keyChangesBody,
    example: { models: ['openai/*', 'fast'], requestsPerMinute: null },
    reply: shown,
    onStore: ({ path: { id }, body }, context) =>
      administer(context, keyChange(context.admin, id, checkedTerms(body))),
  }),
  rotate: endpoint({
    ...changing,
    path: `${path}/{id}/rotate`,
    operationId: 'rotateKey',
    summary: 'Give a key another secret, and let the one before be good for a while',
    body: rotationBody,
    example: { overlapSeconds: 3600 },
    reply: withSecret,
    onStore: ({ path: { id }, body: { overlapSeconds = 0 } }, context) =>
      administer(
        context,
        keyRotation(context.admin, id, { overlapMs: overlapSeconds * 1000, at: context.at }),
      ),
  }),
  disable: endpoint({
    ...changing,
    path: `${path}/{id}/disable`,
    operationId: 'disableKey',
    summary: 'Disable a key and end its calls',
    reply: shown,
    onStore: ({ path: { id } }, context) =>
      administer(context, keyDisabling(context.admin, id, context.at)),
  }),
  enable: endpoint({
    ...changing,
    path: `${path}/{id}/enable`,
    operationId: 'enableKey',
    summary: 'Enable a key again',
    reply: shown,
    onStore: ({ path: { id } }, context) => administer(context, keyEnabling(context.admin, id)),
  }),
  revoke: endpoint({
    ...changing,
    path: `${path}/{id}/revoke`,
    operationId: 'revokeKey',
    summary: 'Revoke a key for good and end its calls',
    reply: shown,
    onStore: ({ path: { id } }, context) =>
      administer(context, keyRevocation(context.admin, id, context.at)),
  }),
}

export const keyAddresses = Object.values(keyEndpoints).map(addressOf)
