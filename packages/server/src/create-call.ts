import { assertSpelling, formatJson, invalidRequest, operations, validate } from '@sluice/contract'
import type { ClientFormat, FormatContext } from '@sluice/protocols'
import { isUnsupportedMode, unsupportedModes } from '@sluice/gateway/settings/unsupported-mode.ts'
import { type Call, openTrail, formatContext } from '@sluice/gateway/call/call.ts'
import { CallRequest, type RequestParts, requestOf } from '@sluice/gateway/call/call-request.ts'
import { tagsHeader, tagsOf } from '@sluice/gateway/call/tags.ts'
import type { FastifyRequest } from 'fastify'
import type { Exchange, ServerOptions } from './address.ts'
import { clientAddress, publicHeaders, publicQuery } from './authenticate.ts'
import { shownId } from './face.ts'

export interface CallInput extends Omit<RequestParts, 'isOwn'> {
  readonly format: ClientFormat
  /** Defaults to the request's own, without credentials. */
  readonly query?: string
  /** Defaults to the request's own, without credentials. */
  readonly headers?: Readonly<Record<string, string>>
}

/** What brings a call: a request over HTTP, or a frame of a socket whose head came before. */
export interface Arrival
  extends Pick<Exchange, 'gateway' | 'id' | 'key' | 'cancellation' | 'held' | 'admission'> {
  readonly options: Pick<ServerOptions, 'trustedProxies'>
  readonly request: Pick<FastifyRequest, 'id' | 'headers' | 'url' | 'raw' | 'publicAddress'> &
    Partial<Pick<FastifyRequest, 'givenId' | 'trace' | 'face'>>
}

/**
 * Creates a call from a request; the only place that does. Throws `invalid_request` or `missing_parameter` with the path of
 * the invalid field, or the header's name.
 */
export function createCall(exchange: Arrival, input: CallInput): Call {
  const { gateway, id, key, cancellation, request: incoming } = exchange
  const { format } = input
  const headers = input.headers ?? publicHeaders(incoming.headers)
  const query = input.query ?? publicQuery(incoming.url)
  const trail = openTrail(gateway.now())
  const context = formatContext(gateway, headers, trail, shownId(incoming))
  const given = { ...input, isOwn: format.isOwn === true }
  const { request, parts } = acceptedRequest(format, given, context)
  const address = clientAddress(incoming, exchange.options.trustedProxies)
  const writer = asksForStream(format, request)
    ? format.writer?.(request, context, query)
    : undefined
  const tagged = headers[tagsHeader]
  // Fields are set one by one: merging objects takes several times as long.
  const call: { -readonly [Field in keyof Call]: Call[Field] } = {
    id,
    key,
    format,
    operation: format.operation,
    request: new CallRequest(request, parts),
    headers,
    tags: tagged === undefined ? key.allTags : tagsOf(key, tagged),
    query,
    origin: incoming,
    stream: writer !== undefined,
    cancellation,
    held: exchange.held,
    admission: exchange.admission,
    trail,
  }
  const unsupported = unsupportedOf(headers)
  if (incoming.givenId !== undefined) call.givenId = incoming.givenId
  if (address !== undefined) call.clientAddress = address
  if (unsupported !== undefined) call.unsupported = unsupported
  if (writer) call.writer = writer
  if (key.keepsContent)
    call.content = gateway.contents.open(input.raw ?? describeForm(input.fields))
  if (incoming.trace) call.trace = incoming.trace
  return call
}

interface AcceptedRequest {
  readonly request: Readonly<Record<string, unknown>>
  readonly parts: RequestParts
}

/** Larger bodies are not respelled; serializing this much takes a few milliseconds. */
const respelledBytesMax = 4 * 1024 * 1024

/** Validates the request as it came. If that fails, validates it again in the format's own spelling of its fields. */
function acceptedRequest(
  format: ClientFormat,
  parts: RequestParts,
  context: FormatContext,
): AcceptedRequest {
  try {
    return { request: checkedRequest(format, parts), parts }
  } catch (error) {
    const { raw, fields, isOutline } = parts
    if (!raw || isOutline === true || !format.respell || raw.length > respelledBytesMax) throw error
    const respelled = format.respell(fields, context)
    const again = { ...parts, fields: respelled, raw: Buffer.from(formatJson(respelled)) }
    return { request: checkedRequest(format, again), parts: again }
  }
}

function checkedRequest(format: ClientFormat, parts: RequestParts): AcceptedRequest['request'] {
  // The schema guarantees the type.
  const fields = requestOf(parts)
  assertSpelling(format.request, fields)
  const request = validate(format.request, fields) as AcceptedRequest['request']
  const { check } = operations[format.operation]
  format.check?.(request)
  if (format.isOwn === true) (check as ((value: unknown) => void) | undefined)?.(request)
  return request
}

/** The fields of a form as JSON, with files replaced by their sizes. */
function describeForm(fields: CallInput['fields']): Uint8Array {
  return Buffer.from(JSON.stringify(withoutFiles(fields)))
}

function withoutFiles(value: unknown): unknown {
  if (value instanceof Uint8Array) return `[${value.length} bytes]`
  if (Array.isArray(value)) return value.map(withoutFiles)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, withoutFiles(field)]),
  )
}

const unsupportedHeader = 'x-sluice-unsupported'

function unsupportedOf(headers: Call['headers']): Call['unsupported'] {
  const said = headers[unsupportedHeader]
  if (said === undefined || isUnsupportedMode(said)) return said
  throw invalidRequest(
    `'${unsupportedHeader}' must be one of ${unsupportedModes.join(', ')}`,
    unsupportedHeader,
  )
}

/** The `stream` field is ignored for formats that cannot stream. */
function asksForStream(format: ClientFormat, request: Readonly<Record<string, unknown>>): boolean {
  return format.streams ?? format.isStreamed?.(request) ?? request['stream'] === true
}
