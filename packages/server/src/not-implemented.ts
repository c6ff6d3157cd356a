import { GatewayError } from '@sluice/contract'
import type { Address } from './address.ts'
import { knownElsewhere } from './known-addresses.ts'

const addresses: readonly (readonly [Address['method'], string])[] = [
  ['GET', '/v1/files'],
  ['POST', '/v1/files'],
  ['GET', '/v1/files/{id}'],
  ['DELETE', '/v1/files/{id}'],
  ['GET', '/v1/files/{id}/content'],
  ['GET', '/v1/fine-tunes'],
  ['POST', '/v1/fine-tunes'],
  ['GET', '/v1/fine-tunes/{id}'],
  ['POST', '/v1/fine-tunes/{id}/cancel'],
  ['GET', '/v1/fine-tunes/{id}/events'],
  ['POST', '/v1/images/variations'],
  ['DELETE', '/v1/models/{model}'],
]

/** The endpoints that the contract lists as unimplemented. They check the key and answer 501. */
export const contractedElsewhere: readonly Address[] = addresses.map(([method, path]) => ({
  method,
  path,
  access: 'caller',
  face: 'caller',
  description: 'none',
  async serve({ request }) {
    throw notImplemented(`${request.method} ${path}`, knownElsewhere(method, path) ?? path)
  },
}))

/** The error of an address of another API. `what` is there. */
export function notImplemented(address: string, what: string): GatewayError {
  return new GatewayError(
    'not_implemented',
    `${address} is not implemented by this gateway (${what}): send it to the provider itself. /docs lists what is offered here`,
  )
}
