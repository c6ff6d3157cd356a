import {
  type Fields,
  GatewayError,
  isObject,
  parseJson,
  type ServerSentEvent,
} from '@sluice/contract'
import type { Received } from './protocol.ts'

/** An event's data as JSON, parsed once; undefined if it is not JSON. Large integers keep their digits. */
export function eventJson(event: ServerSentEvent): unknown {
  event.parsed ??= { value: parse(event.data) }
  return event.parsed.value
}

/** An event's data as a JSON object; undefined for anything else. */
export function eventObject(event: ServerSentEvent): Fields | undefined {
  const value = eventJson(event)
  return isObject(value) ? value : undefined
}

function parse(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** A whole response as a JSON object. Throws `upstream_garbled` for anything else. */
export function receivedObject(received: Received): Fields {
  const body = received.json()
  if (isObject(body)) return body
  throw new GatewayError('upstream_garbled', 'The upstream’s response is not a JSON object')
}
