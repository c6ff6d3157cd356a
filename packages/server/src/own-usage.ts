import { invalidRequest, nanoPerMicro } from '@sluice/contract'
import { claimsOf, type HolderClaim, limitsOf } from '@sluice/gateway/admit/claims.ts'
import type { Caller } from '@sluice/gateway/ports/api-key.ts'
import type { LimitStatus } from '@sluice/gateway/ports/limiter.ts'
import type { UsageDimension } from '@sluice/gateway/ports/usage-store.ts'
import type { Exchange } from './address.ts'
import { endpoint } from './endpoint.ts'
import { parameter } from './openapi-endpoint.ts'
import type { Values } from './query.ts'
import { count, integerOrNull, list, numberOrNull, object, text } from './shapes.ts'
import { catchUp, sumsSchema } from './usage.ts'
import { byParameter, readQuestion, scopeParameters } from './usage-query.ts'
import { sendRows, shownAnswer } from './usage-rows.ts'

const dimensions = [
  'key',
  'provider',
  'model',
  'operation',
  'tag',
] as const satisfies readonly UsageDimension[]

const parameters = {
  of: parameter(
    { enum: ['key', 'user'], default: 'key' },
    'Whose usage: that of the key, or of all keys of the user that it belongs to.',
  ),
  by: byParameter(dimensions),
  ...scopeParameters(dimensions),
}

/** Usage for the holder of a key. */
export const getOwnUsage = endpoint({
  method: 'GET',
  path: '/v1/usage',
  access: 'caller',
  isForConsole: true,
  uncounted: true,
  operationId: 'getOwnUsage',
  summary: 'Get what the key or its user has used, its limits and what is left of them',
  tag: 'Usage',
  query: parameters,
  refusesUnknown: true,
  reply: object({
    key: object({ id: text, name: text }),
    from: text,
    to: text,
    data: list(sumsSchema),
    total: sumsSchema,
    pending: count,
    limits: list(
      object({
        of: text,
        kind: text,
        unit: text,
        limit: integerOrNull,
        remaining: numberOrNull,
        resetMs: integerOrNull,
      }),
    ),
  }),
  send: ({ query }, exchange) => sendOwn(query, exchange),
})

/** Maximum number of groups returned; for more, callers ask for a shorter time span. */
const groupsMax = 10_000

async function sendOwn(
  query: Values<typeof parameters>,
  { gateway, key, reply }: Exchange,
): Promise<void> {
  const asked = readQuestion(
    { ...query, by: query.by ?? 'day,model' },
    { dimensions, now: gateway.now() },
  )
  await catchUp(gateway.store)
  const scope = whose(query.of, key)
  if (scope.key !== undefined && (asked.only?.key ?? scope.key) !== scope.key)
    throw invalidRequest("Other keys of the same user are shown with 'of=user' alone", 'key')
  const only = { ...asked.only, ...scope }
  const question = { ...asked, limit: groupsMax, only }
  const found = await gateway.store.usage.sums(question)
  const limits = limitsOf(key, gateway.current.limits)
  // All budgets, whichever calls they count.
  const spending = { nanoUsd: 0, ofEachNanoUsd: 0, budgets: limits.budgets }
  const claims = claimsOf(limits, { isCounted: true, tokens: 0, spending })
  const levels = await gateway.limiter.look(claims)
  await sendRows(reply, {
    key: { id: key.id, name: key.name },
    from: new Date(question.from).toISOString(),
    to: new Date(question.to).toISOString(),
    ...(await shownAnswer(question.by, found)),
    limits: claims.flatMap((claim, at) => limitOf(claim, levels[at])),
  })
}

/** Restricts the question to the caller's own usage. */
function whose(
  of: string | undefined,
  { id, owners: { userId } }: Caller,
): Readonly<Partial<Record<'key' | 'user', string>>> {
  if (of === undefined || of === 'key') return { key: id }
  if (of !== 'user') throw invalidRequest("'of' must be key or user", 'of')
  if (userId === undefined) throw invalidRequest('The key belongs to no user', 'of')
  return { user: userId }
}

/** The unit in which a limit is shown, and how many of the limiter's are one of these. */
function unitOf(claim: HolderClaim): readonly [unit: string, per: number] {
  if (claim.kind === 'budget') return ['microUsd', nanoPerMicro]
  return [claim.kind === 'rate' ? claim.unit : 'requests', 1]
}

/** Infinite values are returned as null. */
const finite = (value: number) => (Number.isFinite(value) ? Math.ceil(value) : null)

function limitOf(claim: HolderClaim, level: LimitStatus | undefined) {
  if (!level) return []
  const { limit, remaining, resetMs } = level
  const [unit, per] = unitOf(claim)
  return [
    {
      of: claim.holder.kind,
      kind: claim.kind,
      unit,
      ...(claim.kind === 'budget' && { window: claim.window }),
      limit: finite(limit / per),
      remaining: Number.isFinite(remaining) ? remaining / per : null,
      resetMs: finite(resetMs),
    },
  ]
}
