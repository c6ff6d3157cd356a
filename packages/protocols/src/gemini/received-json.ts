import { type Fields, GatewayError, isObject, parseJson } from '@sluice/contract'
import type { Received } from '../protocol.ts'
import { errorIn, upstreamError } from './failure.ts'

/**
 * A whole answer as an object; large integers in arguments keep their digits. Throws what an error body with status
 * 200 says, and `upstream_garbled` for what is no JSON object.
 */
export function receivedObject({ bytes }: Received): Fields {
  let body: unknown
  try {
    body = parseJson(Buffer.from(bytes).toString('utf8'))
  } catch (cause) {
    throw new GatewayError('upstream_garbled', 'The upstream did not answer in JSON', { cause })
  }
  const error = errorIn(body)
  if (error !== undefined) throw upstreamError(error)
  if (!isObject(body))
    throw new GatewayError('upstream_garbled', 'The upstream sent no JSON object')
  return body
}
