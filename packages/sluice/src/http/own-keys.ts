import { shownKey } from '../accounts/key-changes.ts'
import type { Address, Exchange } from './address.ts'
import { shownKeySchema } from './admin/schemas.ts'
import { toJsonSchema } from './openapi-schema.ts'
import { answer, listOf } from './openapi-written.ts'

/** What the holder of a key may see beside the key itself. */
export const ownKeyAddresses: readonly Address[] = [
  {
    method: 'GET',
    path: '/v1/usage/keys',
    access: 'caller',
    uncounted: true,
    description: {
      operationId: 'listOwnKeys',
      summary: 'List the keys of the user that the key belongs to, without their secrets',
      tags: ['Usage'],
      reply: answer(listOf(toJsonSchema(shownKeySchema, 'json'))),
    },
    serve: serveOwnKeys,
  },
]

/** A key that is of no user, such as one of the settings, is alone. */
async function serveOwnKeys({ gateway, key, reply }: Exchange): Promise<void> {
  const { userId } = key.owners
  const kept = await gateway.store.listKeys()
  const own = kept.filter((one) =>
    userId === undefined ? one.id === key.id : one.ownerId === userId,
  )
  const used = await gateway.store.lastUse()
  const data = (own.length > 0 ? own : [key]).map((one) => {
    const { id, name, role, prefix, createdAt, disabledAt, revokedAt, expiresAt } = shownKey(one)
    const lastUsedAt = used.get(id)
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
      ...(lastUsedAt !== undefined && { lastUsedAt }),
    }
  })
  void reply.header('cache-control', 'no-store').send({ object: 'list', data })
}
