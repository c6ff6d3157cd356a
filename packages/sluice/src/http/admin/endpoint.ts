import { GatewayError, validate } from '@sluice/contract'
import type { TSchema } from 'typebox'
import type { AccountStore } from '../../accounts/administer.ts'
import type { Admin } from '../../accounts/rights.ts'
import type { AdminRole } from '../../ports/api-key.ts'
import type { Store } from '../../ports/store.ts'
import { one, whole } from '../models.ts'
import type { JsonSchema } from '../openapi-schema.ts'
import { query, text } from '../openapi-written.ts'

/** What an endpoint of the administration works on: the same behind an address and in a command without a gateway. */
export interface AdminContext {
  readonly store: AccountStore & Pick<Store, 'lastUse'>
  readonly admin: Admin
  /** Whether an owner's key stands in the settings. */
  readonly hasFixedOwner: boolean
  /** Milliseconds since the epoch. */
  readonly at: number
}

export interface AdminRequest {
  /** The id in the path. */
  readonly id: string
  /** By name; several values of one name as a list. */
  readonly query: unknown
  readonly body: Readonly<Record<string, unknown>>
}

/** One thing that administrators may ask for. */
export interface AdminEndpoint {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** With `{id}`. */
  readonly path: string
  readonly roles: readonly AdminRole[]
  readonly operationId: string
  readonly summary: string
  /** Of the body; absent where there is none. */
  readonly body?: TSchema
  /** A body that it takes. */
  readonly example?: object
  /** Of the query. */
  readonly parameters?: readonly JsonSchema[]
  readonly reply: JsonSchema
  /** The answer, after the body was checked. */
  readonly serve: (context: AdminContext, request: AdminRequest) => Promise<object>
}

/** Who looks at what concerns everybody. */
export const wholeReaders: readonly AdminRole[] = ['owner', 'operator', 'viewer']

/** Who looks, who changes what is in a team, and who changes everything. */
export const readers: readonly AdminRole[] = ['owner', 'operator', 'viewer', 'team']
export const teamChangers: readonly AdminRole[] = ['owner', 'operator', 'team']
export const changers: readonly AdminRole[] = ['owner', 'operator']

/**
 * The answer of an endpoint to a request of somebody with one of its roles. Throws `invalid_request` with the path of the field
 * at fault.
 */
export async function answerOfEndpoint(
  endpoint: AdminEndpoint,
  context: AdminContext,
  request: AdminRequest,
): Promise<object> {
  if (endpoint.body) validate(endpoint.body, request.body)
  return endpoint.serve(context, request)
}

export const search = query('search', text, 'Only what has this in its name or is of this id.')

/** Of these the ones that `search` asks for; all where it asks for nothing. */
export function namedAs<Item extends Listed & { readonly name: string }>(
  given: unknown,
  items: readonly Item[],
): readonly Item[] {
  const searched = (one(given, 'search') ?? '').trim()
  const part = searched.toLowerCase()
  return items.filter(({ id, name }) => id === searched || name.toLowerCase().includes(part))
}

interface Listed {
  readonly id: string
}

/** A page of what is in the order of its making: as the query asks, the newest first unless `order` is asc. */
export function pageIn<Item extends Listed>(items: readonly Item[], query: unknown) {
  const { limit, after, isAscending } = pagingOf(query)
  const ordered = isAscending ? items : items.toReversed()
  const place = after === undefined ? -1 : ordered.findIndex(({ id }) => id === after)
  if (after !== undefined && place < 0)
    throw new GatewayError('invalid_request', 'There is nothing with this id', { param: 'after' })
  return pageOfItems(ordered.slice(place + 1, place + 2 + limit), limit)
}

/** `found` is one item more than the page where there are more. */
export function pageOfItems<Item extends Listed>(found: readonly Item[], limit: number) {
  const data = found.slice(0, limit)
  return {
    object: 'list' as const,
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: found.length > limit,
  }
}

export function pagingOf(query: unknown) {
  const limit = whole(one(query, 'limit'), 'limit', { minimum: 1, maximum: 100, fallback: 20 })
  const order = one(query, 'order') ?? 'desc'
  if (order !== 'asc' && order !== 'desc')
    throw new GatewayError('invalid_request', "'order' must be asc or desc", { param: 'order' })
  const after = one(query, 'after')
  return { limit, isAscending: order === 'asc', after: after === '' ? undefined : after }
}
