import { nanoPerMicro, validate } from '@sluice/contract'
import { administer } from '@sluice/gateway/accounts/administer.ts'
import {
  keyRevocation,
  keyRotation,
  type NewKey,
  shownKey,
} from '@sluice/gateway/accounts/key-changes.ts'
import { isPrincipal, ownAdminOf, ownKeyCreation } from '@sluice/gateway/accounts/own-keys.ts'
import type { Admin } from '@sluice/gateway/accounts/rights.ts'

import { heldBudget } from '@sluice/gateway/admit/claims.ts'
import type { ApiKey } from '@sluice/gateway/ports/api-key.ts'
import type { Address, Exchange } from './address.ts'
import { bodyOf } from './admin/gateway-endpoint.ts'
import {
  keyWithSecretSchema,
  ownKeyBody,
  ownKeySchema,
  rotationBody,
  shownKeySchema,
  withTerms,
} from './admin/schemas.ts'
import { toJsonSchema } from './openapi-schema.ts'
import { answer, listOf } from './openapi-written.ts'

const path = '/v1/usage/keys'

const of = { access: 'caller', isForConsole: true } as const
const tags = ['Usage'] as const
const withSecret = answer(toJsonSchema(keyWithSecretSchema, 'json'))

/** Key management for the holder of a key or a signed-in user. */
export const ownKeyAddresses: readonly Address[] = [
  {
    ...of,
    method: 'GET',
    path,
    uncounted: true,
    description: {
      operationId: 'listOwnKeys',
      summary: 'List the keys of the user that the key belongs to, without their secrets',
      tags,
      reply: answer(listOf(toJsonSchema(ownKeySchema, 'json'))),
    },
    serve: serveOwnKeys,
  },
  {
    ...of,
    method: 'POST',
    path,
    description: {
      operationId: 'createOwnKey',
      summary: 'Create a key of one’s own user, where its team allows it (ownKeys)',
      tags,
      requestBody: bodyIn(ownKeyBody),
      reply: withSecret,
    },
    async serve(exchange) {
      const body = await checked(exchange, ownKeyBody)
      const asked = withTerms(body as unknown as NewKey)
      await change(exchange, (admin, at) => ownKeyCreation(admin, asked, at))
    },
  },
  {
    ...of,
    method: 'POST',
    path: `${path}/{id}/rotate`,
    description: {
      operationId: 'rotateOwnKey',
      summary: 'Give a key of one’s own user another secret, where its team allows it',
      tags,
      requestBody: bodyIn(rotationBody),
      reply: withSecret,
    },
    async serve(exchange) {
      const { id = '' } = exchange.parameters
      const body = await checked(exchange, rotationBody)
      const { overlapSeconds = 0 } = body as { readonly overlapSeconds?: number }
      await change(exchange, (admin, at) =>
        keyRotation(admin, id, { overlapMs: overlapSeconds * 1000, at }),
      )
    },
  },
  {
    ...of,
    method: 'POST',
    path: `${path}/{id}/revoke`,
    description: {
      operationId: 'revokeOwnKey',
      summary: 'Revoke a key of one’s own user for good, where its team allows it',
      tags,
      reply: answer(toJsonSchema(shownKeySchema, 'json')),
    },
    async serve(exchange) {
      const { id = '' } = exchange.parameters
      await change(exchange, (admin, at) => keyRevocation(admin, id, at))
    },
  },
]

function bodyIn(schema: Parameters<typeof toJsonSchema>[0]) {
  return {
    required: true,
    content: { 'application/json': { schema: toJsonSchema(schema, 'json') } },
  }
}

async function checked(
  exchange: Exchange,
  schema: Parameters<typeof validate>[0],
): Promise<Readonly<Record<string, unknown>>> {
  // Checked before the body, so that unauthorized callers get no validation errors.
  ownAdminOf(exchange.key)
  const body = await bodyOf(exchange)
  validate(schema, body)
  return body
}

async function change<Result extends object>(
  { gateway, key, reply }: Exchange,
  decide: (admin: Admin, at: number) => Parameters<typeof administer<Result>>[1],
): Promise<void> {
  const at = gateway.now()
  const { store, keys } = gateway
  const admin = ownAdminOf(key)
  const place = { store, actor: key.id, at, hasFixedOwner: keys.hasFixedOwner() }
  const answered = await administer(place, decide(admin, at))
  await keys.reload()
  void reply.header('cache-control', 'no-store').send(answered)
}

/** A key without a user, such as one from the configuration, lists only itself. */
async function serveOwnKeys({ gateway, key, reply }: Exchange): Promise<void> {
  const { userId } = key.owners
  const kept = await gateway.store.listKeys()
  const own = kept.filter((one) =>
    userId === undefined ? one.id === key.id : one.ownerId === userId,
  )
  const used = await gateway.store.lastUse()
  // A user signed in without a key has none to list.
  const listed = own.length > 0 || isPrincipal(key) ? own : [key]
  const data = await Promise.all(
    listed.map(async (one) => {
      const lastUsedAt = used.get(one.id)
      const levels = await levelsOf(gateway, one)
      return {
        ...shownToUser(one),
        ...(lastUsedAt !== undefined && { lastUsedAt }),
        ...(levels.length > 0 && { levels }),
      }
    }),
  )
  void reply.header('cache-control', 'no-store').send({ object: 'list', data })
}

function shownToUser(key: ApiKey) {
  const { id, name, role, prefix, createdAt, disabledAt, revokedAt, expiresAt } = shownKey(key)
  return {
    object: 'key',
    id,
    name,
    role,
    prefix,
    createdAt,
    ...(disabledAt !== undefined && { disabledAt }),
    ...(revokedAt !== undefined && { revokedAt }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(key.budgets && { budgets: key.budgets }),
  }
}

async function levelsOf(
  { limiter, settings }: Exchange['gateway'],
  { id, name, budgets = [], revokedAt, ...terms }: ApiKey,
) {
  if (budgets.length === 0 || revokedAt !== undefined) return []
  const holder = { kind: 'key' as const, id, name, terms }
  const { limits } = settings.config()
  const levels = await limiter.look(
    budgets.map((budget) => heldBudget(holder, budget, limits).claim),
  )
  return budgets.flatMap((budget, at) => {
    const level = levels[at]
    if (!level) return []
    return [
      {
        id: budget.id,
        limitMicroUsd: budget.limitMicroUsd,
        remainingMicroUsd: level.remaining / nanoPerMicro,
        resetMs: Number.isFinite(level.resetMs) ? Math.ceil(level.resetMs) : null,
      },
    ]
  })
}
