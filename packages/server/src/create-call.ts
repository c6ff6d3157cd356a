import {
  assertSpelling,
  formatJson,
  invalidRequest,
  type Operation,
  operations,
  spliceFields,
  validate,
} from '@sluice/contract'
import {
  isUnsupportedMode,
  type UnsupportedMode,
  unsupportedModes,
} from '@sluice/gateway/settings/unsupported-mode.ts'
import type { ClientFormat, FormatContext } from '@sluice/protocols/client-format.ts'
import { type Call, formatContext, isWriting, openTrail } from '@sluice/gateway/call/call.ts'
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
  const queryAt = incoming.url.indexOf('?')
  const query = input.query ?? (queryAt < 0 ? '' : publicQuery(incoming.url.slice(queryAt + 1)))
  const trail = openTrail(gateway.now())
  const context = () => formatContext(gateway, headers, trail, shownId(incoming))
  const written = { ...input, isOwn: format.isOwn === true }
  const { defaultModel } = gateway.current.routing
  const { request, parts } = acceptedRequest(format, written, { context, defaultModel })
  const address = clientAddress(incoming, exchange.options.trustedProxies)
  // Formats that cannot stream ignore the field.
  const streams = format.streams ?? format.isStreamed?.(request) ?? request['stream'] === true
  const writer = streams ? format.writer?.(request, context(), query) : undefined
  const tagged = headers[tagsHeader]
  const unsupported = headers[unsupportedHeader]
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
  if (incoming.givenId !== undefined) call.givenId = incoming.givenId
  if (address !== undefined) call.clientAddress = address
  if (unsupported !== undefined) call.unsupported = checkedMode(unsupported)
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

interface Accepting {
  /** Few calls need it. */
  readonly context: () => FormatContext
  /** For a request that names no model. */
  readonly defaultModel?: string | undefined
}

/** Validates the request as it came. If that fails, validates it again in the format's own spelling of its fields. */
function acceptedRequest(
  format: ClientFormat,
  parts: RequestParts,
  { context, defaultModel }: Accepting,
): AcceptedRequest {
  try {
    return { request: checkedRequest(format, parts), parts }
  } catch (error) {
    const named = withDefaultModel(format, parts, defaultModel)
    if (named) return acceptedRequest(format, named, { context })
    const { raw, fields, isOutline } = parts
    if (!raw || isOutline === true || !format.respell || raw.length > respelledBytesMax) throw error
    const respelled = format.respell(fields, context())
    const again = { ...parts, fields: respelled, raw: Buffer.from(formatJson(respelled)) }
    return { request: checkedRequest(format, again), parts: again }
  }
}

/** The request with the default model if it names none, where the format has it in the body; undefined for all others. */
function withDefaultModel(
  format: ClientFormat,
  parts: RequestParts,
  model: string | undefined,
): RequestParts | undefined {
  const { raw, fields, parameters } = parts
  const isNamed = (fields['model'] ?? parameters?.['deployment'] ?? '') !== ''
  if (model === undefined || isNamed || format.modelIn === 'path' || !isWriting(format))
    return undefined
  return {
    ...parts,
    fields: { ...fields, model },
    ...(raw && { raw: spliceFields(raw, { model }) }),
  }
}

function checkedRequest(format: ClientFormat, parts: RequestParts): AcceptedRequest['request'] {
  // The schema guarantees the type.
  const fields = requestOf(parts)
  assertSpelling(format.request, fields)
  const request = validate(format.request, fields) as AcceptedRequest['request']
  const { check }: Operation = operations[format.operation]
  format.check?.(request)
  if (format.isOwn === true) check?.(request)
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

function checkedMode(said: string): UnsupportedMode {
  if (isUnsupportedMode(said)) return said
  throw invalidRequest(
    `'${unsupportedHeader}' must be one of ${unsupportedModes.join(', ')}`,
    unsupportedHeader,
  )
}
