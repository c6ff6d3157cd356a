import { GatewayError } from '../../packages/contract/src/core/errors.ts'
import { parseJson } from '../../packages/contract/src/wire/json.ts'
import {
  createEventSplitter,
  type EventBlock,
  type ServerSentEvent,
} from '../../packages/contract/src/wire/sse.ts'
import type { FormatContext } from '../../packages/protocols/src/client-format.ts'
import type { CodecContext, Received } from '../../packages/protocols/src/protocol.ts'

/** 2023-11-14T22:13:20Z */
export const fixedNow = 1_700_000_000_000

/** Ids that are the same in every run: the prefix and a counter. */
export function countingIds(): (prefix: string) => string {
  let count = 0
  return (prefix) => {
    count += 1
    return `${prefix}${count}`
  }
}

function refuseField(param: string, reason?: string): never {
  throw new GatewayError('unsupported_parameter', reason ?? `${param} is not supported`, { param })
}

/** A codec context for tests. By default, unsupported fields throw. */
export function codecContext(given: Partial<CodecContext> = {}): CodecContext {
  return {
    model: 'upstream-model',
    family: given.model ?? 'upstream-model',
    publicModel: 'public-model',
    unsupported: refuseField,
    leftOut: () => {},
    now: () => fixedNow,
    newId: countingIds(),
    settings: {},
    media: new Map(),
    ...given,
  }
}

export function formatContext(given: Partial<FormatContext> = {}): FormatContext {
  return {
    now: () => fixedNow,
    newId: countingIds(),
    headers: {},
    unsupported: refuseField,
    leftOut: () => {},
    expectedInput: () => 12,
    ...given,
  }
}

/** A whole response of an upstream, as the gateway passes it to a codec. */
export function received(body: string, given: Partial<Received> = {}): Received {
  return {
    status: 200,
    headers: {},
    contentType: 'application/json',
    bytes: new TextEncoder().encode(body),
    json: () => {
      try {
        return parseJson(body)
      } catch (cause) {
        throw new GatewayError('upstream_garbled', 'The upstream’s response is not JSON', { cause })
      }
    },
    ...given,
  }
}

/** The events of a server-sent stream that arrives in pieces of `size` bytes; comments are left out. */
export function eventsInPieces(text: string, size: number): readonly ServerSentEvent[] {
  const bytes = new TextEncoder().encode(text)
  const splitter = createEventSplitter()
  const blocks: EventBlock[] = []
  for (let at = 0; at < bytes.length; at += size)
    blocks.push(...splitter.push(bytes.subarray(at, at + size)))
  return [...blocks, ...splitter.end()]
    .filter(({ kind }) => kind !== 'comment')
    .map(({ event, data }) => ({ event, data }))
}
