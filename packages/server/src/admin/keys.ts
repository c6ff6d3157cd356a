import { administer } from '@sluice/gateway/accounts/administer.ts'
import {
  findKey,
  type KeyChanges,
  keyChange,
  keyCreation,
  keyDisabling,
  keyEnabling,
  keyRevocation,
  keyRotation,
  type NewKey,
  shownKey,
} from '@sluice/gateway/accounts/key-changes.ts'
import { seenKeys } from '@sluice/gateway/accounts/rights.ts'
import { one } from '../models.ts'
import { toJsonSchema } from '../openapi-schema.ts'
import { pageOf, paging, query, text } from '../openapi-written.ts'
import {
  type AdminContext,
  type AdminEndpoint,
  namedAs,
  pageIn,
  readers,
  search,
  teamChangers,
} from './endpoint.ts'
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
const shown = toJsonSchema(shownKeySchema, 'json')
const withSecret = toJsonSchema(keyWithSecretSchema, 'json')

function doing({ store, admin, at, hasFixedOwner }: AdminContext) {
  return { store, actor: admin.id, at, hasFixedOwner }
}

/** Stored keys. Keys in the configuration are changed there. */
export const keyEndpoints: readonly AdminEndpoint[] = [
  {
    method: 'GET',
    path,
    roles: readers,
    operationId: 'listKeys',
    summary: 'List the keys, without their secrets',
    parameters: [...paging, search, query('ownerId', text, 'Only keys of this user or team.')],
    reply: pageOf(shown),
    async serve({ store, admin }, { query: given }) {
      const ownerId = one(given, 'ownerId')
      const seen = seenKeys(admin, await store.listKeys(), await store.listAccounts())
      const keys = namedAs(given, seen).filter(
        (key) => ownerId === undefined || key.ownerId === ownerId,
      )
      const page = pageIn(keys, given)
      const used = await store.lastUse()
      return {
        ...page,
        data: page.data.map((key) => {
          const lastUsedAt = used.get(key.id)
          return { ...shownKey(key), ...(lastUsedAt !== undefined && { lastUsedAt }) }
        }),
      }
    },
  },
  {
    method: 'POST',
    path,
    roles: teamChangers,
    operationId: 'createKey',
    summary: 'Create a key; its secret is shown only in this answer',
    body: keyCreationBody,
    example: { name: 'app', models: ['openai/*'], requestsPerMinute: 60 },
    reply: withSecret,
    serve: (context, { body }) =>
      administer(
        doing(context),
        keyCreation(context.admin, withTerms(body as unknown as NewKey), context.at),
      ),
  },
  {
    method: 'GET',
    path: `${path}/{id}`,
    roles: readers,
    operationId: 'getKey',
    summary: 'Retrieve a key, without its secret',
    reply: shown,
    async serve({ store, admin }, { id }) {
      const state = { accounts: await store.listAccounts(), keys: await store.listKeys() }
      return shownKey(findKey(admin, state, id))
    },
  },
  {
    method: 'PATCH',
    path: `${path}/{id}`,
    roles: teamChangers,
    operationId: 'changeKey',
    summary: 'Change a key, its owner or its role; null takes a term or the owner away',
    body: keyChangesBody,
    example: { models: ['openai/*', 'fast'], requestsPerMinute: null },
    reply: shown,
    serve: (context, { id, body }) =>
      administer(doing(context), keyChange(context.admin, id, checkedTerms(body as KeyChanges))),
  },
  {
    method: 'POST',
    path: `${path}/{id}/rotate`,
    roles: teamChangers,
    operationId: 'rotateKey',
    summary: 'Give a key another secret, and let the one before be good for a while',
    body: rotationBody,
    example: { overlapSeconds: 3600 },
    reply: withSecret,
    serve(context, { id, body }) {
      const { overlapSeconds = 0 } = body as { readonly overlapSeconds?: number }
      const times = { overlapMs: overlapSeconds * 1000, at: context.at }
      return administer(doing(context), keyRotation(context.admin, id, times))
    },
  },
  {
    method: 'POST',
    path: `${path}/{id}/disable`,
    roles: teamChangers,
    operationId: 'disableKey',
    summary: 'Disable a key and end its calls',
    reply: shown,
    serve: (context, { id }) =>
      administer(doing(context), keyDisabling(context.admin, id, context.at)),
  },
  {
    method: 'POST',
    path: `${path}/{id}/enable`,
    roles: teamChangers,
    operationId: 'enableKey',
    summary: 'Enable a key again',
    reply: shown,
    serve: (context, { id }) => administer(doing(context), keyEnabling(context.admin, id)),
  },
  {
    method: 'POST',
    path: `${path}/{id}/revoke`,
    roles: teamChangers,
    operationId: 'revokeKey',
    summary: 'Revoke a key for good and end its calls',
    reply: shown,
    serve: (context, { id }) =>
      administer(doing(context), keyRevocation(context.admin, id, context.at)),
  },
]
