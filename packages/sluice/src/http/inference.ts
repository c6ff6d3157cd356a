import type { TObject } from 'typebox'
import { operations } from '@sluice/contract'
import type { ClientFormat } from '@sluice/protocols'
import type { Answer, Call } from '../gateway/call.ts'
import type { Gateway } from '../gateway/gateway.ts'
import type { Exchange } from './address.ts'
import { isForm, parseJsonObject, readBody } from './body.ts'
import { createCall } from './create-call.ts'
import { defaultStreamTimes, deliverWhole } from './deliver.ts'
import { deliverStream } from './deliver-stream.ts'
import { readForm } from './form.ts'

/** How one address is answered. */
export interface Inference {
  readonly format: ClientFormat
  /** Brings the call to an answer. */
  readonly handle: (gateway: Gateway, call: Call) => Promise<Answer>
}

/** One inference call from body to answer. Throws GatewayError as long as no status has been written. */
export async function serveInference(exchange: Exchange, inference: Inference): Promise<void> {
  const call = await readCall(exchange, inference.format)
  exchange.request.call = call
  return deliverAnswer(exchange, call, inference.handle(exchange.gateway, call))
}

/** Sends an answer as soon as it has begun. */
export async function deliverAnswer(
  { reply, options: { streamTimes: times = defaultStreamTimes } }: Exchange,
  call: Call,
  pending: Promise<Answer>,
): Promise<void> {
  if (call.stream) return deliverStream(reply, call, { pending, times })
  const answer = await pending
  if (answer.kind !== 'stream') return deliverWhole(reply, answer, times)
  return deliverStream(reply, call, { pending, times })
}

async function readCall(exchange: Exchange, format: ClientFormat): Promise<Call> {
  const { request, options, parameters } = exchange
  const { body: kind } = operations[format.operation]
  const contentType = request.headers['content-type']
  const asForm =
    format.isOwn === true && kind !== 'json' && (kind === 'multipart' || isForm(contentType))
  if (asForm) {
    // Every request is an object.
    const fields = await readForm(request.raw, format.request as TObject, options.bodyBytesMax)
    return createCall(exchange, { format, fields, parameters })
  }
  const raw = withoutMark(await readBody(request.raw, options.bodyBytesMax))
  const fields = parseJsonObject(raw, contentType)
  return createCall(exchange, { format, fields, raw, parameters })
}

/** Without a byte order mark: upstreams that get these bytes need not know it. */
function withoutMark(bytes: Buffer): Buffer {
  const isMarked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  return isMarked ? bytes.subarray(3) : bytes
}
