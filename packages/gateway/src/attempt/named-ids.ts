import { GatewayError, invalidRequest } from '@sluice/contract'
import type { UpstreamId } from '../ports/store.ts'
import { type Bound, boundTo } from './account.ts'
import type { CallRun } from './call-run.ts'
import type { UpstreamTarget } from '../route/routing.ts'

/** An object stored upstream that a request references. */
export interface Named {
  readonly id: string
  /** The path of the field in the request. */
  readonly param: string
  /**
   * Whether the upstream needs only the id. False for an item sent in full, which the upstream may also store under
   * its id; such an item is refused only if it is known to belong to another key.
   */
  readonly isReference: boolean
  /** The error if the id may not be used, where clients expect a particular one. */
  readonly unknown?: () => GatewayError
}

/** Requests that reference more ids are refused. */
const namedMax = 10_000

/**
 * Refuses ids that belong to another virtual key or, unless the provider shares ids, to no known key. All virtual
 * keys share the gateway's account at an upstream, which returns stored objects to anyone who knows the id. An id is
 * therefore sent only if this gateway has returned it to the same key.
 *
 * @returns What the call needs of the upstream; undefined if nothing is named that is kept there.
 */
export async function checkNamed(
  { gateway, call }: CallRun,
  { providerId, upstream }: UpstreamTarget,
  named: readonly Named[],
): Promise<Bound | undefined> {
  if (named.length === 0) return undefined
  if (named.length > namedMax)
    throw invalidRequest(`The request names more than ${namedMax} ids`, named[0]?.param ?? 'input')
  const rows = await gateway.store.findUpstreamIds(named.map(({ id }) => id))
  const owners: ReadonlyMap<string, readonly UpstreamId[]> = Map.groupBy(rows, ({ id }) => id)
  const refused = named.find(({ id, isReference }) => {
    const known = owners.get(id)
    if (known) return !known.some(({ keyId, deleted }) => keyId === call.key.id && !deleted)
    return isReference && !upstream.sharesIds
  })
  const own = rows.filter(({ keyId }) => keyId === call.key.id)
  if (!refused) return boundBy(named, own, providerId)
  if (refused.unknown) throw refused.unknown()
  const shown = JSON.stringify(refused.id.slice(0, 100))
  throw invalidRequest(
    `${shown} does not come from this gateway and API key. For ${providerId}, other ids, such as those of prompts and vector stores, are accepted only if the operator sets sharedIds: allow`,
    refused.param,
  )
}

/** What is named first counts: a request that names the objects of two accounts is refused by each. */
function boundBy(
  named: readonly Named[],
  rows: readonly UpstreamId[],
  provider: string,
): Bound | undefined {
  const mayMove = named.every(({ unknown }) => unknown !== undefined)
  for (const { id } of named) {
    const account = rows.find((row) => row.id === id)?.account
    if (account !== undefined) return { ...boundTo(account), mayMove }
  }
  return named.some(({ isReference }) => isReference) ? { provider, mayMove } : undefined
}

/**
 * Stores which key owns the objects a response has created in the upstream's account. A failure is logged and does
 * not affect the response.
 */
export async function rememberMade(
  { gateway, call }: CallRun,
  ids: readonly string[],
  account: string | undefined,
): Promise<void> {
  try {
    await gateway.store.addUpstreamIds(ids, {
      keyId: call.key.id,
      source: call.id,
      ...(account !== undefined && { account }),
    })
  } catch (thrown) {
    const { code } = GatewayError.from(thrown)
    gateway.log.warn({ call: call.id, code }, 'what an answer has made could not be remembered')
  }
}
