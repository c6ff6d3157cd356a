import type { KeptRefusal } from '@sluice/gateway/ports/refusals.ts'
import type { RequestScope } from '@sluice/gateway/ports/usage-store.ts'
import type { Gateway } from '../gateway.ts'
import { shownRefusal } from './shown-request.ts'

/** The position of a refused call. */
export type RefusalPlace = Pick<KeptRefusal, 'at' | 'callId'>

/** What a refused call has nothing of: no upstream was asked, and no attempt was recorded. */
const lacking = ['provider', 'model', 'tag'] as const

/** Refused calls that match the filters of a search for calls, newest first; none if a filter is about what they lack. */
export async function refusedRequests(
  { store }: Pick<Gateway, 'store'>,
  { from, to, only, requestedModel, ...scope }: RequestScope,
  page: { readonly limit: number; readonly before?: RefusalPlace },
) {
  const isOther = only.outcome !== undefined && only.outcome !== 'refused'
  if (isOther || lacking.some((dimension) => only[dimension] !== undefined)) return []
  const found = await store.refusals.search({
    from,
    to,
    ...owned({
      keyId: only.key,
      userId: only.user,
      teamId: only.team,
      organizationId: only.organization,
      operation: only.operation,
      model: requestedModel,
    }),
    ...(scope.id !== undefined && { id: scope.id }),
    ...(scope.format !== undefined && { format: scope.format }),
    ...(scope.status !== undefined && { status: scope.status }),
    ...page,
  })
  return found.map((refused) => ({ refused, shown: shownRefusal(refused) }))
}

/** Only the filters that are given. */
function owned<Filters extends object>(filters: Filters) {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined)
  // The type says the same.
  return Object.fromEntries(given) as { [Name in keyof Filters]?: NonNullable<Filters[Name]> }
}
