import {
  type Fields,
  GatewayError,
  isObject,
  parsedJson,
  type ServerSentEvent,
  type Usage,
} from '@sluice/contract'
import type { Received } from './protocol.ts'

/** An event's data as JSON, parsed once; undefined if it is not JSON. Large integers keep their digits. */
export function eventJson(event: ServerSentEvent): unknown {
  event.parsed ??= { value: parsedJson(event.data) }
  return event.parsed.value
}

/** An event's data as a JSON object; undefined for anything else. */
export function eventObject(event: ServerSentEvent): Fields | undefined {
  const value = eventJson(event)
  return isObject(value) ? value : undefined
}

/** The last usage that a stream reported. Many report it with every event; only the last of those is read. */
export class LatestUsage {
  readonly #read: (body: Fields) => Usage | undefined
  #usage: Usage | undefined
  #unread: ServerSentEvent | undefined

  /** `read` finds the usage in an event. */
  constructor(read: (body: Fields) => Usage | undefined) {
    this.#read = read
  }

  /** Reads the usage of an event now, and returns whether it has any. */
  see(body: Fields): boolean {
    const usage = this.#read(body)
    if (usage === undefined) return false
    this.#usage = usage
    this.#unread = undefined
    return true
  }

  /** Keeps an event that reports usage. */
  keep(event: ServerSentEvent | undefined): void {
    this.#unread = event ?? this.#unread
  }

  get value(): Usage | undefined {
    const body = this.#unread && eventObject(this.#unread)
    if (body) this.see(body)
    return this.#usage
  }
}

/** A whole response as a JSON object. Throws `upstream_garbled` for anything else. */
export function receivedObject(received: Received): Fields {
  const body = received.json()
  if (isObject(body)) return body
  throw new GatewayError('upstream_garbled', 'The upstream’s response is not a JSON object')
}

/** The body of an error response; undefined if it is not JSON, as that of a proxy in front of the upstream. */
export function failureBody(received: Received): unknown {
  try {
    return received.json()
  } catch {
    return undefined
  }
}
