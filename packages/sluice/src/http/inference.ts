import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TObject } from 'typebox'
import { type ApiKey, type OperationName, operations, validate } from '@sluice/contract'
import { writerOf, formatContext } from '../gateway/answer.ts'
import { type Answer, type Call, type Gateway, openTrail } from '../gateway/gateway.ts'
import type { ClientFormat } from '@sluice/protocols'
import { publicHeaders, publicQuery } from './authenticate.ts'
import { isForm, parseJsonObject, readBody } from './body.ts'
import { deliver, startStream, type StreamTimes } from './deliver.ts'
import { readForm } from './form.ts'
import { funnel } from './funnel.ts'

/** How one address is answered. */
export interface Inference {
  readonly operation: OperationName
  readonly format?: ClientFormat
  /** Brings the call to an answer. */
  readonly handle: (gateway: Gateway, call: Call) => Promise<Answer>
}

export interface Incoming {
  readonly gateway: Gateway
  readonly key: ApiKey
  readonly id: string
  readonly bodyBytesMax: number
  readonly publicAddress: string
  /** From the address, decoded. */
  readonly parameters: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  readonly streamTimes: StreamTimes
}

/** One inference call from body to answer. Throws GatewayError as long as no status has been written. */
export async function serveInference(
  request: FastifyRequest,
  reply: FastifyReply,
  { inference, incoming }: { inference: Inference; incoming: Incoming },
): Promise<Call> {
  const call = await readCall(request, inference, incoming)
  reply.request.call = call
  const { gateway, signal, streamTimes: times } = incoming
  // Before the call begins: what throws between its beginning and the wait for it would leave its failure to nobody.
  const writer = call.stream ? writerOf(call, formatContext(gateway, call)) : undefined
  const pending = inference.handle(gateway, call)
  if (!writer) {
    await deliver(reply, await pending, { signal, keepAlive: '' })
    return call
  }
  // Sound and pictures may come whole although a stream was asked for; only texts are sure to come as one.
  const isSure = call.operation === 'chat' || call.operation === 'complete'
  const early = setInterval(() => {
    if (isSure) startStream(reply, writer.contentType).write(writer.keepAlive)
  }, times.keepAliveMs)
  try {
    const answer = await pending
    clearInterval(early)
    await deliver(reply, answer, { signal, keepAlive: writer.keepAlive, times })
  } catch (thrown) {
    if (!reply.raw.headersSent) throw thrown
    reply.raw.end(writer.fail(funnel(thrown)))
  } finally {
    clearInterval(early)
  }
  return call
}

async function readCall(
  request: FastifyRequest,
  inference: Inference,
  incoming: Incoming,
): Promise<Call> {
  const { operation, format } = inference
  const { gateway, key, id, bodyBytesMax, parameters, signal } = incoming
  const { body: kind, request: own, check } = operations[operation]
  const schema = (format?.request ?? own) as TObject
  const contentType = request.headers['content-type']
  const asForm =
    format === undefined && kind !== 'json' && (kind === 'multipart' || isForm(contentType))
  const raw = asForm ? undefined : withoutMark(await readBody(request.raw, bodyBytesMax))
  const fields = raw
    ? parseJsonObject(raw, contentType)
    : await readForm(request.raw, schema, bodyBytesMax)
  // The body's own field wins over the address, except where the address is all there is.
  const merged = format ? { ...fields, ...parameters } : { ...parameters, ...withoutNull(fields) }
  const valid = validate(schema, merged) as Readonly<Record<string, unknown>>
  if (!format) (check as ((value: unknown) => void) | undefined)?.(valid)
  return {
    id,
    key,
    operation,
    ...(format && { format }),
    request: valid,
    ...(raw && { raw }),
    headers: publicHeaders(request.headers),
    query: publicQuery(request.url),
    publicAddress: incoming.publicAddress,
    stream: asksForStream(inference, valid),
    signal,
    trail: openTrail(gateway.now()),
  }
}

/** The field means nothing where there is no stream to ask for: then it is one more unknown field. */
function asksForStream(
  { operation, format }: Inference,
  request: Readonly<Record<string, unknown>>,
): boolean {
  if (format) return format.streams ?? (format.writer !== undefined && request['stream'] === true)
  if (operation === 'speak') return request['stream_format'] === 'sse'
  return !('not' in operations[operation].event) && request['stream'] === true
}

/** Without a byte order mark: upstreams that get these bytes need not know it. */
function withoutMark(bytes: Buffer): Buffer {
  const isMarked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  return isMarked ? bytes.subarray(3) : bytes
}

function withoutNull(fields: Record<string, unknown>): Record<string, unknown> {
  return fields['model'] === null ? { ...fields, model: undefined } : fields
}
