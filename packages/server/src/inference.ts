import { GatewayError, operations, outlinedBytesMin } from '@sluice/contract'
import type { ClientFormat } from '@sluice/protocols/client-format.ts'
import type { TObject } from 'typebox'
import { admit, type Admitted } from '@sluice/gateway/admit/admit.ts'
import type { Answer, Call } from '@sluice/gateway/call/call.ts'
import type { Gateway } from './gateway.ts'
import { turn } from '@sluice/gateway/turns/turn.ts'
import type { Exchange } from './address.ts'
import { isForm, outlineJsonObject, parseJsonObject, readBody } from './body.ts'
import { countUnparsedBody } from './collect-bodies.ts'
import { createCall } from './create-call.ts'
import { defaultStreamTimes, deliverWhole } from './deliver.ts'
import { deliverStream } from './deliver-stream.ts'
import { readForm } from './form.ts'

/** How one inference endpoint is served. */
export interface Inference {
  readonly format: ClientFormat
  /** What it reads: `either` is a form if the request says so, and else JSON. */
  readonly body: 'none' | 'json' | 'form' | 'either'
  /** Obtains the response of a call. */
  readonly handle: (gateway: Gateway, admitted: Admitted) => Promise<Answer>
}

/** Serves inference calls from body to response. Throws GatewayError if no status has been written yet. */
export function servedBy(inference: Inference): (exchange: Exchange) => Promise<void> {
  const { format, body, handle } = inference
  return async (exchange) => {
    const { gateway, request, parameters } = exchange
    let reading: Call | Promise<Call>
    if (body === 'none') reading = createCall(exchange, { format, fields: {}, parameters })
    else if (body === 'form' || (body === 'either' && isForm(request.headers['content-type'])))
      reading = readFormCall(exchange, format)
    else reading = jsonCall(exchange, format, await readBody(exchange))
    const call = reading instanceof Promise ? await reading : reading
    request.call = call
    const admitting = admit(exchange, call)
    const admitted = admitting instanceof Promise ? await admitting : admitting
    await deliverAnswer(exchange, call, handle(gateway, admitted))
  }
}

/** Sends a response as soon as it has begun. */
export async function deliverAnswer(
  { gateway: { store }, reply, options: { streamTimes: times = defaultStreamTimes } }: Exchange,
  call: Call,
  pending: Promise<Answer>,
): Promise<void> {
  if (call.stream) return deliverStream(reply, call, { pending, times, store })
  const answer = await pending
  if (answer.kind === 'stream') return deliverStream(reply, call, { pending, times, store })
  const recorded = store.recorded()
  if (recorded) await recorded
  deliverWhole(reply, answer, times)
}

/** What the endpoint of a format reads. The body of a GET has no meaning (RFC 9110, 9.3.1). */
export function bodyRead({ operation, isOwn }: ClientFormat): Inference['body'] {
  const { body, method } = operations[operation]
  if (body === 'none' || method === 'GET') return 'none'
  if (isOwn !== true || body === 'json') return 'json'
  return body === 'multipart' ? 'form' : 'either'
}

async function readFormCall(exchange: Exchange, format: ClientFormat): Promise<Call> {
  const { parameters } = exchange
  // Every request schema is an object.
  const fields = await readForm(exchange, format.request as TObject)
  return createCall(exchange, { format, fields, parameters })
}

function jsonCall(exchange: Exchange, format: ClientFormat, raw: Buffer): Call | Promise<Call> {
  const { request, options, parameters } = exchange
  const outlined =
    format.takesOutline === true && raw.length >= outlinedBytesMin
      ? outlinedCall(exchange, format, raw)
      : undefined
  if (outlined) return outlined
  const fields = parseJsonObject(raw, request.headers['content-type'], options.bodyUnitsMax)
  if (!(fields instanceof Promise)) return createCall(exchange, { format, fields, raw, parameters })
  return fields
    .then((parsed) => createCall(exchange, { format, fields: parsed, raw, parameters }))
    .then(afterTurn)
}

/** With many values every step takes long, so others get a turn. */
async function afterTurn(call: Call): Promise<Call> {
  await turn()
  return call
}

/**
 * Creates the call of a large request without parsing its long texts. Undefined for other requests, and for invalid ones,
 * which are reported after parsing the whole request.
 */
function outlinedCall(exchange: Exchange, format: ClientFormat, raw: Buffer): Call | undefined {
  const { request, options, parameters } = exchange
  try {
    const contentType = request.headers['content-type']
    const outlined = outlineJsonObject(raw, contentType, options.bodyUnitsMax)
    if (!outlined) return undefined
    countUnparsedBody(raw.length)
    return createCall(exchange, { format, raw, parameters, fields: outlined, isOutline: true })
  } catch (thrown) {
    if (thrown instanceof GatewayError) return undefined
    throw thrown
  }
}
