import { GatewayError } from '@sluice/contract'
import type { UpstreamRequest } from '@sluice/protocols/protocol.ts'
import type { Cancellation } from '../call/cancellation.ts'
import { outgoing } from '../providers/provider.ts'
import { ask, type Outgoing } from '../call/send.ts'
import { untilAborted } from '../call/until-aborted.ts'
import type { StoredParts } from './stored-parts.ts'
import type { Upstream } from '../route/routing.ts'

/** Timeout of a delete request, in milliseconds. */
const deleteMs = 30_000

interface Deletion {
  readonly request: UpstreamRequest
  readonly cancellation: Cancellation
}

/**
 * Deletes an object at an upstream. Every key is tried, because it is unknown which account holds the object. Throws
 * if the upstream refuses or cannot be reached, so that the request can be repeated. An object the upstream does not
 * have counts as deleted.
 */
export async function deleteAtUpstream(
  { send, newId, concealer }: Pick<StoredParts, 'send' | 'newId' | 'concealer'>,
  upstream: Upstream,
  { request: asking, cancellation }: Deletion,
): Promise<void> {
  const signal = AbortSignal.any([cancellation.signal, AbortSignal.timeout(deleteMs)])
  const { body: _body, ...request } = outgoing(asking, upstream, newId)
  let status = 0
  for (const secret of upstream.secrets) {
    const asked = { ...request, body: undefined }
    const { provider, settings, fetch } = upstream
    const credentials = provider.credentials(secret, asked, settings, fetch)
    const signed = await untilAborted(Promise.resolve(credentials), signal)
    const headers = { ...request.headers, ...signed }
    const { url } = request
    const { dialing } = upstream
    const made: Outgoing = {
      method: 'DELETE',
      url,
      headers,
      body: undefined,
      connectMs: deleteMs,
      dialing,
    }
    try {
      const received = await ask(send, made, signal)
      if (received.status < 300) return
      status = received.status
    } catch (thrown) {
      throw concealer.conceal(failureOf(thrown, upstream))
    }
  }
  // Already gone, or the upstream stores no such objects.
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
