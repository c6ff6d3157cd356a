import type { UsageDimension } from '@sluice/gateway/ports/usage-book.ts'
import type { Address, Exchange } from '../address.ts'
import { object, text } from '../openapi-written.ts'
import { assertKnown, readScope, scopeParameters, withinTeam } from '../usage-query.ts'
import { readers } from './endpoint.ts'
import { gatewayAddress } from './gateway-endpoint.ts'

const hourMs = 3_600_000
/** Maximum number of rows returned. */
const shownMax = 200
const dimensions: readonly UsageDimension[] = ['key', 'user', 'team', 'organization', 'operation']

const textOrNull = { type: ['string', 'null'] }
const whole = { type: 'integer', minimum: 0 }
const time = { type: 'string', format: 'date-time' }

/** Counts refused calls by key and reason. */
export const refusalAddresses: readonly Address[] = [
  gatewayAddress({
    method: 'GET',
    path: '/admin/v1/refusals',
    roles: readers,
    operationId: 'listRefusals',
    summary: 'Count the calls that were refused before any upstream was asked, by key and reason',
    tag: 'Requests',
    parameters: scopeParameters(dimensions),
    reply: object({
      from: time,
      to: time,
      data: {
        type: 'array',
        description: `Those that were refused most first, at most ${shownMax}. Hours are kept for 90 days; calls without a valid key are not counted.`,
        items: object({
          key: text,
          user: textOrNull,
          team: textOrNull,
          organization: textOrNull,
          operation: text,
          code: text,
          status: whole,
          count: whole,
          lastAt: time,
          lastId: text,
          lastModel: {
            ...textOrNull,
            description: 'What the last of them asked for; null where that was not read.',
          },
          lastMessage: text,
        }),
      },
    }),
    serve: list,
  }),
]

async function list({ gateway, key, request }: Exchange): Promise<object> {
  assertKnown(request.query, ['from', 'to', ...dimensions])
  const asked = readScope(request.query, { dimensions, now: gateway.now() }, hourMs)
  const { from, to, only } = withinTeam(asked, key)
  const found = await gateway.store.refusals.list({
    from,
    to,
    ...(only.key !== undefined && { keyId: only.key }),
    ...(only.user !== undefined && { userId: only.user }),
    ...(only.team !== undefined && { teamId: only.team }),
    ...(only.organization !== undefined && { organizationId: only.organization }),
    ...(only.operation !== undefined && { operation: only.operation }),
    limit: shownMax,
  })
  return {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    data: found.map((one) => ({
      key: one.keyId,
      user: one.userId ?? null,
      team: one.teamId ?? null,
      organization: one.organizationId ?? null,
      operation: one.operation,
      code: one.code,
      status: one.status,
      count: one.count,
      lastAt: new Date(one.lastAt).toISOString(),
      lastId: one.callId,
      lastModel: one.model ?? null,
      lastMessage: one.message,
    })),
  }
}
