import { operations, validate } from '@sluice/contract'
import type { ClientFormat } from '@sluice/protocols'
import { formatContext } from '../gateway/answer.ts'
import { type Call, openTrail } from '../gateway/call.ts'
import type { Exchange } from './address.ts'
import { publicHeaders, publicQuery } from './authenticate.ts'
import { publicAddress } from './public-address.ts'

export interface CallInput {
  readonly format: ClientFormat
  /** The fields of the body. */
  readonly fields: Readonly<Record<string, unknown>>
  /** The JSON body as it came, where there was one. */
  readonly raw?: Uint8Array
  /** From the path, decoded. */
  readonly parameters?: Readonly<Record<string, string>>
  /** Default the request's own, without credentials. */
  readonly query?: string
  /** Default the request's own, without credentials. */
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * The call that a request is, however it came: the only builder of one. Throws `invalid_request` or
 * `missing_parameter` with the path of the field at fault.
 */
export function createCall(exchange: Exchange, input: CallInput): Call {
  const { gateway, id, key, cancellation, request: incoming } = exchange
  const { format, raw } = input
  // The schema's type is what the format says it is.
  const request = validate(format.request, merged(input)) as Readonly<Record<string, unknown>>
  const { check } = operations[format.operation]
  if (format.isOwn === true) (check as ((value: unknown) => void) | undefined)?.(request)
  const headers = input.headers ?? publicHeaders(incoming.headers)
  const query = input.query ?? publicQuery(incoming.url)
  const writer = asksForStream(format, request)
    ? format.writer?.(request, formatContext(gateway, headers), query)
    : undefined
  return {
    id,
    key,
    format,
    operation: format.operation,
    request,
    ...(raw && { raw, fields: input.fields }),
    headers,
    query,
    publicAddress: publicAddress(exchange),
    stream: writer !== undefined,
    ...(writer && { writer }),
    cancellation,
    trail: openTrail(gateway.now()),
  }
}

/** The body's own field wins over the address, except where the address is all there is. */
function merged({ format, fields, parameters }: CallInput): Readonly<Record<string, unknown>> {
  const own =
    format.isOwn === true && fields['model'] === null ? { ...fields, model: undefined } : fields
  if (!parameters) return own
  return format.isOwn === true ? { ...parameters, ...own } : { ...own, ...parameters }
}

/** The field means nothing where there is no stream to ask for: then it is one more unknown field. */
function asksForStream(format: ClientFormat, request: Readonly<Record<string, unknown>>): boolean {
  return format.streams ?? format.isStreamed?.(request) ?? request['stream'] === true
}
