import type { ApiKey } from '../ports/api-key.ts'
import type { Cancellation } from '../call/cancellation.ts'
import type { StoredParts } from './stored-parts.ts'
import { deleteThere } from './delete-there.ts'
import { findResponse } from './responses.ts'

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
      await deleteThere(gateway, upstream, {
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
