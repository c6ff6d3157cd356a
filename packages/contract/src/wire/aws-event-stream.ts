import { crc32 } from 'node:zlib'
import { EventStreamCodec } from '@smithy/eventstream-codec'
import { GatewayError } from '../core/errors.ts'
import { createAppend } from './append.ts'
import type { EventBlock, EventSplitter } from './sse.ts'

/** Total length, headers length and their checksum: 4 bytes each (Amazon event stream encoding). */
const preludeBytes = 12
/** A prelude without headers and payload, and the message checksum. */
const frameBytesMin = 16
/** Amazon's own limit: 16 MiB of payload, 128 KiB of headers. */
const frameBytesMax = 16 * 1024 * 1024 + 128 * 1024 + frameBytesMin

const decoder = new TextDecoder()
const codec = new EventStreamCodec(
  (bytes) => (typeof bytes === 'string' ? bytes : decoder.decode(bytes)),
  (text) => new TextEncoder().encode(text),
)

/**
 * Splits `application/vnd.amazon.eventstream` into events; pieces may be cut at any byte. An ordinary message becomes {event:
 * its `:event-type`, data: its payload}; an exception or an error becomes {event: 'error', data: JSON of {type, message}}. A
 * frame with a wrong checksum is `unreadable`. After a wrong prelude the next frame cannot be found, so it throws
 * `upstream_garbled`.
 */
export function createAwsEventSplitter(): EventSplitter {
  const append = createAppend()
  let pending: Uint8Array = new Uint8Array()
  return {
    push(piece) {
      pending = append(pending, piece)
      const found: EventBlock[] = []
      for (let end = frameEnd(pending); end > 0; end = frameEnd(pending)) {
        found.push(readFrame(pending.subarray(0, end)))
        pending = pending.subarray(end)
      }
      return found
    },
    end() {
      const rest = pending
      pending = new Uint8Array()
      return rest.length === 0
        ? []
        : [{ raw: rest, kind: 'unreadable', event: '', data: 'part of a frame' }]
    },
  }
}

/** The end of the first frame; 0 while it is incomplete. */
function frameEnd(bytes: Uint8Array): number {
  if (bytes.length < preludeBytes) return 0
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const total = view.getUint32(0)
  if (crc32(bytes.subarray(0, 8)) !== view.getUint32(8))
    throw new GatewayError('upstream_garbled', 'The upstream sent a frame with a wrong checksum')
  if (total < frameBytesMin || total > frameBytesMax)
    throw new GatewayError('upstream_garbled', `The upstream sent a frame of ${total} bytes`)
  return bytes.length < total ? 0 : total
}

function readFrame(raw: Uint8Array): EventBlock {
  try {
    const { headers, body } = codec.decode(raw)
    const word = (name: string): string => String(headers[name]?.value ?? '')
    const payload = decoder.decode(body)
    switch (word(':message-type')) {
      case 'exception':
        return failure(raw, word(':exception-type'), messageIn(payload))
      case 'error':
        return failure(raw, word(':error-code'), word(':error-message'))
      default:
        return { raw, kind: 'event', event: word(':event-type'), data: payload }
    }
  } catch {
    return { raw, kind: 'unreadable', event: '', data: 'a frame with a wrong checksum' }
  }
}

function failure(raw: Uint8Array, type: string, message: string): EventBlock {
  return { raw, kind: 'event', event: 'error', data: JSON.stringify({ type, message }) }
}

/** Exceptions carry {"message": …}; anything else is used unchanged. */
function messageIn(payload: string): string {
  try {
    const value: unknown = JSON.parse(payload)
    if (typeof value !== 'object' || value === null) return payload
    const { message, Message } = value as { message?: unknown; Message?: unknown }
    const text = message ?? Message
    return typeof text === 'string' ? text : payload
  } catch {
    return payload
  }
}
