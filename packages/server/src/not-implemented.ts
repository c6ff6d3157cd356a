import { GatewayError } from '@sluice/contract'
import type { Address } from './address.ts'

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
export const notImplemented: readonly Address[] = addresses.map(([method, path]) => ({
  method,
  path,
  access: 'caller',
  face: 'caller',
  description: 'none',
  async serve({ request }) {
    throw new GatewayError(
      'not_implemented',
      `${request.method} ${path} is not implemented by this gateway`,
    )
  },
}))
