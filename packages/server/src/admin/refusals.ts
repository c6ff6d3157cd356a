import type { UsageDimension } from '@sluice/gateway/ports/usage-store.ts'
import { endpoint, readers } from '../endpoint.ts'
import { count, described, list, object, text, textOrNull, time } from '../shapes.ts'
import { readScope, scopeParameters, withinTeam } from '../usage-query.ts'

const hourMs = 3_600_000
/** Maximum number of rows returned. */
const shownMax = 200
const dimensions = [
  'key',
  'user',
  'team',
  'organization',
  'operation',
] as const satisfies readonly UsageDimension[]

/** Counts refused calls by key and reason. */
export const listRefusals = endpoint({
  method: 'GET',
  path: '/admin/v1/refusals',
  access: readers,
  operationId: 'listRefusals',
  summary: 'Count the calls that were refused before any upstream was asked, by key and reason',
  tag: 'Requests',
  query: scopeParameters(dimensions),
  refusesUnknown: true,
  reply: object({
    from: time,
    to: time,
    data: list(
      object({
        key: text,
        user: textOrNull,
        team: textOrNull,
        organization: textOrNull,
        operation: text,
        code: text,
        status: count,
        count,
        lastAt: time,
        lastId: text,
        lastModel: described(
          textOrNull,
          'What the last of them asked for; null where that was not read.',
        ),
        lastMessage: text,
      }),
      `Those that were refused most first, at most ${shownMax}. Hours are kept for 90 days; calls without a valid key are not counted.`,
    ),
  }),
  async answer({ query }, { gateway, key }) {
    const asked = readScope(query, { dimensions, now: gateway.now() }, hourMs)
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
  },
})
