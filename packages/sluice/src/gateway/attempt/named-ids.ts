import { GatewayError, invalidRequest } from '@sluice/contract'
import type { UpstreamRequest } from '@sluice/protocols'
import type { UpstreamId } from '../../ports/store.ts'
import type { Run } from '../run/run.ts'
import type { Prepared, UpstreamTarget } from './prepare.ts'

/** Something kept upstream that a request names. */
export interface Named {
  readonly id: string
  /** Where in the request. */
  readonly param: string
  /**
   * The upstream needs nothing but the id. False for an item that is told in full, which the upstream may have under its
   * id all the same: then only what is known to be another key's is refused.
   */
  readonly isReference: boolean
}

/** More than this are not looked up. */
const namedMax = 10_000

/**
 * Refuses ids that another key has, or, unless the provider shares ids, that nobody is known to have. All API keys share the
 * gateway's account at an upstream, which gives whoever knows an id what is kept under it; so an id goes there only where
 * this gateway has shown it to the same key.
 */
export async function checkNamed(
  { gateway, call }: Run,
  { providerId, upstream }: UpstreamTarget,
  named: readonly Named[],
): Promise<void> {
  if (named.length === 0) return
  if (named.length > namedMax)
    throw invalidRequest(`The request names more than ${namedMax} ids`, named[0]?.param ?? 'input')
  const rows = await gateway.store.findUpstreamIds(named.map(({ id }) => id))
  const owners: ReadonlyMap<string, readonly UpstreamId[]> = Map.groupBy(rows, ({ id }) => id)
  const refused = named.find(({ id, isReference }) => {
    const known = owners.get(id)
    if (known) return !known.some(({ keyId, deleted }) => keyId === call.key.id && !deleted)
    return isReference && !upstream.sharesIds
  })
  if (!refused) return
  const shown = JSON.stringify(refused.id.slice(0, 100))
  throw invalidRequest(
    `${shown} was not made with this API key, and ${providerId} takes no other ids (sharedIds)`,
    refused.param,
  )
}

/** What a chat request names as it goes to an upstream, which Responses requests were asked for when they came. */
export function namedAsSent(
  { call }: Run,
  { upstream }: UpstreamTarget,
  { request, isNative }: Prepared,
): readonly Named[] {
  const { protocol } = upstream.provider
  if (call.operation !== 'chat' || !protocol.named) return []
  const body = isNative ? call.request.outline : jsonIn(request)
  return protocol.named(body).map((one) => ({ ...one, isReference: true }))
}

function jsonIn({ body }: UpstreamRequest): unknown {
  return body?.kind === 'json' ? body.value : undefined
}

/** Remembers whose it is what an answer has made in the upstream's account. The answer goes on whatever becomes of it. */
export async function rememberMade({ gateway, call }: Run, ids: readonly string[]): Promise<void> {
  try {
    await gateway.store.addUpstreamIds(ids, { keyId: call.key.id, source: call.id })
  } catch (thrown) {
    const { code } = GatewayError.from(thrown)
    gateway.log.warn({ call: call.id, code }, 'what an answer has made could not be remembered')
  }
}
