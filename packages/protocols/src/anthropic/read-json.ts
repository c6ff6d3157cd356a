import { type Fields, GatewayError, isObject, parseJson } from '@sluice/contract'
import type { Received } from '../protocol.ts'

const decoder = new TextDecoder()

/** The body as an object whose large integers keep their digits. Throws `upstream_garbled`. */
export function readJson({ bytes }: Received): Fields {
  try {
    const body = parseJson(decoder.decode(bytes))
    if (isObject(body)) return body
  } catch (cause) {
    throw new GatewayError('upstream_garbled', 'The upstream’s answer is not JSON', { cause })
  }
  throw new GatewayError('upstream_garbled', 'The upstream’s answer is not a JSON object')
}
