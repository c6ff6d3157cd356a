import { formatJson, invalidRequest, operations, validate } from '@sluice/contract'
import type { ClientFormat, FormatContext } from '@sluice/protocols'
import { isUnsupportedMode, unsupportedModes } from '../config/unsupported-mode.ts'
import { formatContext } from '../gateway/answer.ts'
import { type Call, openTrail } from '../gateway/call.ts'
import { CallRequest, type RequestParts, requestOf } from '../gateway/call-request.ts'
import { tagsHeader, tagsOf } from '../gateway/tags.ts'
import type { Exchange } from './address.ts'
import { publicHeaders, publicQuery } from './authenticate.ts'
import { clientAddress } from './client-address.ts'
import { publicAddress } from './public-address.ts'

export interface CallInput extends Omit<RequestParts, 'isOwn'> {
  readonly format: ClientFormat
  /** Default the request's own, without credentials. */
  readonly query?: string
  /** Default the request's own, without credentials. */
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * The call that a request is, however it came: the only builder of one. Throws `invalid_request` or
 * `missing_parameter` with the path of the field at fault, or the header's name.
 */
export function createCall(exchange: Exchange, input: CallInput): Call {
  const { gateway, id, key, cancellation, request: incoming } = exchange
  const { format } = input
  const headers = input.headers ?? publicHeaders(incoming.headers)
  const query = input.query ?? publicQuery(incoming.url)
  const trail = openTrail(gateway.now())
  const context = formatContext(gateway, headers, trail)
  const given = { ...input, isOwn: format.isOwn === true }
  const { request, parts } = acceptedRequest(format, given, context)
  const address = clientAddress(incoming, exchange.options.trustedProxies)
  const writer = asksForStream(format, request)
    ? format.writer?.(request, context, query)
    : undefined
  return {
    id,
    ...(incoming.givenId !== undefined && { givenId: incoming.givenId }),
    key,
    ...(address !== undefined && { clientAddress: address }),
    format,
    operation: format.operation,
    request: new CallRequest(request, parts),
    headers,
    tags: tagsOf(key, headers[tagsHeader]),
    ...unsupportedOf(headers),
    query,
    publicAddress: publicAddress(exchange),
    stream: writer !== undefined,
    ...(writer && { writer }),
    cancellation,
    held: exchange.held,
    admission: exchange.admission,
    ...(key.keepsContent && {
      content: gateway.contents.open(input.raw ?? describeForm(input.fields)),
    }),
    ...(incoming.trace && { trace: incoming.trace }),
    trail,
  }
}

interface AcceptedRequest {
  readonly request: Readonly<Record<string, unknown>>
  readonly parts: RequestParts
}

/** To write so much anew takes a few milliseconds; what is larger keeps its words. */
const respelledBytesMax = 4 * 1024 * 1024

/** The request as it came or, where it is refused so, in the words that its format has for it. */
function acceptedRequest(
  format: ClientFormat,
  parts: RequestParts,
  context: FormatContext,
): AcceptedRequest {
  try {
    return { request: checkedRequest(format, parts), parts }
  } catch (error) {
    const { raw, fields } = parts
    if (!raw || !format.respell || raw.length > respelledBytesMax) throw error
    const respelled = format.respell(fields, context)
    const again = { ...parts, fields: respelled, raw: Buffer.from(formatJson(respelled)) }
    return { request: checkedRequest(format, again), parts: again }
  }
}

function checkedRequest(format: ClientFormat, parts: RequestParts): AcceptedRequest['request'] {
  // The schema's type is what the format says it is.
  const request = validate(format.request, requestOf(parts)) as AcceptedRequest['request']
  const { check } = operations[format.operation]
  if (format.isOwn === true) (check as ((value: unknown) => void) | undefined)?.(request)
  return request
}

/** What a form says, with the sizes of its files in their place. */
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

function unsupportedOf(headers: Call['headers']): Pick<Call, 'unsupported'> {
  const said = headers[unsupportedHeader]
  if (said === undefined) return {}
  if (isUnsupportedMode(said)) return { unsupported: said }
  throw invalidRequest(
    `'${unsupportedHeader}' must be one of ${unsupportedModes.join(', ')}`,
    unsupportedHeader,
  )
}

/** The field means nothing where there is no stream to ask for: then it is one more unknown field. */
function asksForStream(format: ClientFormat, request: Readonly<Record<string, unknown>>): boolean {
  return format.streams ?? format.isStreamed?.(request) ?? request['stream'] === true
}
