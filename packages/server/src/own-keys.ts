import { nanoPerMicro } from '@sluice/contract'
import { administer } from '@sluice/gateway/accounts/administer.ts'
import { keyRevocation, keyRotation, shownKey } from '@sluice/gateway/accounts/key-changes.ts'
import { isPrincipal, ownAdminOf, ownKeyCreation } from '@sluice/gateway/accounts/own-keys.ts'
import type { Admin } from '@sluice/gateway/accounts/rights.ts'
import { heldBudget } from '@sluice/gateway/admit/claims.ts'
import type { ApiKey } from '@sluice/gateway/ports/api-key.ts'
import type { Exchange } from './address.ts'
import {
  keyWithSecretSchema,
  ownKeyBody,
  ownKeySchema,
  rotationBody,
  shownKeySchema,
  withTerms,
} from './admin/schemas.ts'
import { addressOf, endpoint } from './endpoint.ts'
import { documented, listOf } from './shapes.ts'

const path = '/v1/usage/keys'

const facts = { access: 'caller', isForConsole: true, tag: 'Usage' } as const
const withSecret = documented(keyWithSecretSchema)
/** Changes, whose body only those get to see mistakes of who may make them. */
const changing = {
  ...facts,
  method: 'POST',
  enter: ({ key }: Exchange) => void ownAdminOf(key),
} as const

/** Key management for the holder of a key or a signed-in user. */
const endpoints = [
  endpoint({
    ...facts,
    method: 'GET',
    path,
    uncounted: true,
    operationId: 'listOwnKeys',
    summary: 'List the keys of the user that the key belongs to, without their secrets',
    reply: listOf(documented(ownKeySchema)),
    answer: (_, exchange) => ownKeys(exchange),
  }),
  endpoint({
    ...changing,
    path,
    operationId: 'createOwnKey',
    summary: 'Create a key for your own user, if its team allows it (ownKeys)',
    body: ownKeyBody,
    reply: withSecret,
    answer({ body }, exchange) {
      const asked = withTerms(body)
      return change(exchange, (admin, at) => ownKeyCreation(admin, asked, at))
    },
  }),
  endpoint({
    ...changing,
    path: `${path}/{id}/rotate`,
    operationId: 'rotateOwnKey',
    summary: 'Rotate the secret of a key of your own user, if its team allows it',
    body: rotationBody,
    reply: withSecret,
    answer: ({ path: { id }, body: { overlapSeconds = 0 } }, exchange) =>
      change(exchange, (admin, at) =>
        keyRotation(admin, id, { overlapMs: overlapSeconds * 1000, at }),
      ),
  }),
  endpoint({
    ...changing,
    path: `${path}/{id}/revoke`,
    operationId: 'revokeOwnKey',
    summary: 'Revoke a key of your own user permanently, if its team allows it',
    reply: documented(shownKeySchema),
    answer: ({ path: { id } }, exchange) =>
      change(exchange, (admin, at) => keyRevocation(admin, id, at)),
  }),
]

export const ownKeyAddresses = endpoints.map(addressOf)

async function change<Result extends object>(
  { gateway, key }: Exchange,
  decide: (admin: Admin, at: number) => Parameters<typeof administer<Result>>[1],
): Promise<Result> {
  const at = gateway.now()
  const { store, keys } = gateway
  const admin = ownAdminOf(key)
  const place = { store, actor: key.id, at, hasFixedOwner: keys.hasFixedOwner() }
  const answered = await administer(place, decide(admin, at))
  await keys.reload()
  return answered
}

/** A key without a user, such as one from the configuration, lists only itself. */
async function ownKeys({ gateway, key }: Exchange) {
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
  return { object: 'list' as const, data }
}

function shownToUser(key: ApiKey) {
  const { id, name, role, prefix, createdAt, disabledAt, revokedAt, expiresAt } = shownKey(key)
  return {
    object: 'key' as const,
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
