import type { Received } from '@sluice/protocols'
import { upstreamError } from './failures.ts'
import type { UpstreamTarget } from './prepare.ts'

/** Some upstreams answer 200 with an error object in the body; it is a failure all the same. */
export function refuseErrorBody(target: UpstreamTarget, received: Received): void {
  if (!received.contentType.includes('json')) return
  const body = received.json()
  if (typeof body !== 'object' || body === null || !('error' in body)) return
  // Finished jobs and stored responses carry their own `error`, which is part of their form.
  if (body.error == null || 'object' in body || 'status' in body || 'id' in body) return
  const failure = target.upstream.provider.protocol.failure(received)
  throw upstreamError(target.providerId, { ...received, status: 502 }, failure)
}
