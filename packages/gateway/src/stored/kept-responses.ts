import { GatewayError } from '@sluice/contract'
import type { ApiKey } from '../ports/api-key.ts'
import type { StoredResponse } from '../ports/store.ts'
import type { Cancellation } from '../call/cancellation.ts'
import { deleteAtUpstream } from './delete-at-upstream.ts'
import type { StoredParts } from './stored-parts.ts'

/** Finds a response of this key. A response of another key is reported as not found. */
export async function findResponse(
  gateway: StoredParts,
  key: ApiKey,
  id: string,
): Promise<StoredResponse> {
  const stored = await gateway.store.findResponse(id)
  if (stored?.keyId === key.id) return stored
  throw new GatewayError('not_found', `Response with id '${id.slice(0, 100)}' not found.`, {
    param: 'response_id',
  })
}

/**
 * Deletes a response of this key, also at the upstream that created it. If the upstream refuses or cannot be reached,
 * nothing is deleted and the request can be repeated.
 */
export async function deleteResponse(
  gateway: StoredParts,
  key: ApiKey,
  { id, cancellation }: { readonly id: string; readonly cancellation: Cancellation },
): Promise<void> {
  const stored = await findResponse(gateway, key, id)
  if (stored.provider !== undefined) {
    const upstream = gateway.current.routing.upstreams.get(stored.provider)
    if (upstream?.provider.protocol.native.responses)
      await deleteAtUpstream(gateway, upstream, {
        request: { method: 'DELETE', path: `/responses/${encodeURIComponent(id)}` },
        cancellation,
      })
    else
      gateway.log.warn(
        { response: id, provider: stored.provider },
        'a response was deleted here alone: its provider is not configured any more',
      )
  }
  await gateway.store.deleteResponse(id)
}
