import { GatewayError, validate } from '@sluice/contract'
import type { TSchema } from 'typebox'
import type { AccountStore } from '@sluice/gateway/accounts/administer.ts'
import type { Admin } from '@sluice/gateway/accounts/rights.ts'
import type { AdminRole } from '@sluice/gateway/ports/api-key.ts'
import type { Store } from '@sluice/gateway/ports/store.ts'
import { one, whole } from '../models.ts'
import type { JsonSchema } from '../openapi-schema.ts'
import { query, text } from '../openapi-written.ts'

/** The context of an administration endpoint. The CLI uses the same endpoints without a running gateway. */
export interface AdminContext {
  readonly store: AccountStore & Pick<Store, 'lastUse'>
  readonly admin: Admin
  /** Whether the configuration contains a key with the owner role. */
  readonly hasFixedOwner: boolean
  /** Milliseconds since the epoch. */
  readonly at: number
}

export interface AdminRequest {
  /** The id in the path. */
  readonly id: string
  /** By name; a repeated name has a list of values. */
  readonly query: unknown
  readonly body: Readonly<Record<string, unknown>>
}

/** One administration endpoint. */
export interface AdminEndpoint {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** With `{id}`. */
  readonly path: string
  readonly roles: readonly AdminRole[]
  readonly operationId: string
  readonly summary: string
  /** Schema of the body; absent if it has none. */
  readonly body?: TSchema
  /** An example body. */
  readonly example?: object
  /** Query parameters. */
  readonly parameters?: readonly JsonSchema[]
  readonly reply: JsonSchema
  /** Returns the response; the body has already been validated. */
  readonly serve: (context: AdminContext, request: AdminRequest) => Promise<object>
}

/** Roles that may read data about the whole installation. */
export const wholeReaders: readonly AdminRole[] = ['owner', 'operator', 'viewer']

/** Roles that may read, change what is in a team, and change everything. */
export const readers: readonly AdminRole[] = ['owner', 'operator', 'viewer', 'team']
export const teamChangers: readonly AdminRole[] = ['owner', 'operator', 'team']
export const changers: readonly AdminRole[] = ['owner', 'operator']

/** Runs an endpoint for a caller with one of its roles. Throws `invalid_request` with the path of the invalid field. */
export async function answerOfEndpoint(
  endpoint: AdminEndpoint,
  context: AdminContext,
  request: AdminRequest,
): Promise<object> {
  if (endpoint.body) validate(endpoint.body, request.body)
  return endpoint.serve(context, request)
}

export const search = query('search', text, 'Only what has this in its name or is of this id.')

/** Filters items by the `search` parameter; returns all if it is absent. */
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

/** One page of items in creation order, newest first unless `order` is asc. */
export function pageIn<Item extends Listed>(items: readonly Item[], query: unknown) {
  const { limit, after, isAscending } = pagingOf(query)
  const ordered = isAscending ? items : items.toReversed()
  const place = after === undefined ? -1 : ordered.findIndex(({ id }) => id === after)
  if (after !== undefined && place < 0)
    throw new GatewayError(
      'invalid_request',
      'There is nothing with this id in the list: begin again, or go on after another item',
      { param: 'after' },
    )
  return pageOfItems(ordered.slice(place + 1, place + 2 + limit), limit)
}

/** `found` holds one item more than the page if there are more pages. */
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
