import { GatewayError } from '@sluice/contract'
import type { Call } from '../call/call.ts'
import { routingFieldIn } from '../route/routing-field.ts'
import type { UpstreamTarget } from '../route/routing.ts'

/**
 * Checks that the call of a key with limited models or a budget does not let the upstream choose another model or price by
 * fields of its own.
 *
 * @throws GatewayError `forbidden`, which names the field.
 */
export function assertOwnRouting(
  { request }: Call,
  { upstream, providerId }: UpstreamTarget,
): void {
  const { routingFields } = upstream.provider
  // Behind another address there may be another server, which has fields of its own.
  const field = routingFieldIn(request.outline, upstream.isOtherBase ? undefined : routingFields)
  if (field === undefined) return
  throw new GatewayError(
    'forbidden',
    `A key with limited models or a budget may not send '${field}' to ${providerId}, which may choose another model or price by it`,
    { param: field },
  )
}
