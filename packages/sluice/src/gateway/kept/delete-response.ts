import { GatewayError } from '@sluice/contract'
import type { ApiKey } from '../../ports/api-key.ts'
import type { Cancellation } from '../attempt/cancellation.ts'
import { outgoing } from '../attempt/prepare.ts'
import { ask } from '../attempt/send.ts'
import { untilAborted } from '../attempt/until-aborted.ts'
import type { Gateway } from '../gateway.ts'
import type { Upstream } from '../route/routing.ts'
import { findResponse } from './responses.ts'

/** How long an upstream may take to delete. */
const deleteMs = 30_000

/**
 * Deletes a response of this key, at the upstream that made it too. Where that refuses or cannot be reached, nothing is
 * deleted and the call may be made again.
 */
export async function deleteResponse(
  gateway: Gateway,
  key: ApiKey,
  { id, cancellation }: { readonly id: string; readonly cancellation: Cancellation },
): Promise<void> {
  const stored = await findResponse(gateway, key, id)
  if (stored.provider !== undefined) {
    const upstream = gateway.routing().upstreams.get(stored.provider)
    if (upstream?.provider.protocol.native.responses)
      await deleteThere(gateway, upstream, { id, cancellation })
    else
      gateway.log.warn(
        { response: id, provider: stored.provider },
        'a response was deleted here alone: its provider is not configured any more',
      )
  }
  await gateway.store.deleteResponse(id)
}

async function deleteThere(
  { send, newId, concealer }: Gateway,
  upstream: Upstream,
  { id, cancellation }: { readonly id: string; readonly cancellation: Cancellation },
): Promise<void> {
  const signal = AbortSignal.any([cancellation.signal, AbortSignal.timeout(deleteMs)])
  const path = `/responses/${encodeURIComponent(id)}`
  const { body: _body, ...request } = outgoing({ method: 'DELETE', path }, upstream, newId)
  let status = 0
  // Whose account of several the response is in, nobody knows.
  for (const secret of upstream.secrets) {
    const asked = { ...request, body: undefined }
    const credentials = upstream.provider.credentials(secret, asked, upstream.settings)
    const signed = await untilAborted(Promise.resolve(credentials), signal)
    const headers = { ...request.headers, ...signed }
    const outgoingDelete = { method: 'DELETE', url: request.url, headers, body: undefined } as const
    try {
      const received = await ask(send, { ...outgoingDelete, connectMs: deleteMs }, signal)
      if (received.status < 300) return
      status = received.status
    } catch (thrown) {
      throw concealer.conceal(failureOf(thrown, upstream))
    }
  }
  // It is not there any more, or the upstream keeps none.
  if (status === 404 || status === 405 || status === 501) return
  throw new GatewayError('upstream_unavailable', `${upstream.id} did not delete it (${status})`, {
    upstreamStatus: status,
  })
}

function failureOf(thrown: unknown, { id }: Upstream): GatewayError {
  if (thrown instanceof Error && thrown.name === 'TimeoutError')
    return new GatewayError('upstream_timeout', `${id} did not delete it in time`)
  return GatewayError.from(thrown)
}
