import {
  type Fields,
  formatForm,
  formatJson,
  GatewayError,
  isObject,
  type OperationName,
  objectOf,
  operations,
  parseJson,
  removeFields,
  type Usage,
} from '@sluice/contract'
import type {
  Codec,
  CodecContext,
  Decoded,
  Native,
  Quirk,
  Received,
  StreamReader,
  StreamWatcher,
  UpstreamBody,
  UpstreamRequest,
} from '@sluice/protocols'
import type { OutgoingRequest } from '../../providers/provider.ts'
import type { Call } from '../call.ts'
import type { AnyRequest } from '../canonical.ts'
import { formatLargeJson } from '../format-large.ts'
import type { Gateway } from '../gateway.ts'
import type { Target } from '../route/routing.ts'
import { asWritten, formatReports, modeOf, type Run, reportsOf } from '../run/run.ts'
import { turn } from '../turns.ts'
import type { AttemptAnswer } from './attempt.ts'
import type { Cancellation } from './cancellation.ts'
import { namedFilesOf } from './named-files.ts'
import type { Framing } from './splitters.ts'

export type UpstreamTarget = Extract<Target, { kind: 'upstream' }>

/** What a whole answer comes to. */
export interface Reading {
  readonly answer: AttemptAnswer
  /** What it has made in the upstream's account, by its ids. */
  readonly made?: readonly string[]
  readonly usage: Usage | undefined
}

/** How a stream is read. */
export interface StreamReading {
  readonly framing: Framing
  readonly watcher: StreamWatcher
  /** Events that nobody but the gateway asked for are left out. */
  readonly hidesUsage: boolean
  /** Absent where the upstream's events go to the caller as they come. */
  readonly reader?: StreamReader<OperationName>
}

/** One request ready to be signed and sent, and how its answer is to be read. */
export interface Prepared {
  readonly request: UpstreamRequest
  /** The caller's bytes go on as they came. */
  readonly isNative: boolean
  /** An answer that is not JSON is media, and goes through as it comes. */
  readonly isMedia: boolean
  /** Reads a whole answer. Throws `upstream_garbled`. */
  read(received: Received): Reading
  /** Set where the caller wants a stream. */
  readonly stream?: StreamReading
  /** A stream that was asked for may come as a whole answer, which is told as one. */
  readonly isTold: boolean
}

/**
 * The upstream's request: the caller's own bytes where the upstream speaks the caller's format, else what the codec
 * makes of the canonical request. Throws `unsupported_parameter` where the target cannot say a field.
 */
export function prepare(
  run: Run,
  target: UpstreamTarget,
  cancellation: Cancellation,
): Prepared | Promise<Prepared> {
  const { operation } = run.call
  const { provider } = target.upstream
  if (provider.operations && !provider.operations.includes(operation))
    throw notOffered(target, operation)
  const native = nativeOf(run.gateway, run.call, target)
  if (native) return prepareNative(run, target, native)
  const codec = provider.protocol.codecs[operation] as Codec<OperationName> | undefined
  if (!codec) throw notOffered(target, operation)
  const canonical = run.canonical(modeOf(run, target))
  return prepareCodec(run, target, { codec, canonical, cancellation }).catch((thrown: unknown) => {
    throw asWritten(run.call, thrown)
  })
}

/** The format the upstream speaks itself, where the call is in it and has JSON bytes to pass on. */
export function nativeOf(
  { health }: Pick<Gateway, 'health'>,
  { format, request }: Call,
  { upstream, model }: UpstreamTarget,
): Native | undefined {
  if (!request.hasBytes || health.lacksFormat(upstream.baseUrl, format.id)) return undefined
  const native = upstream.provider.protocol.native[format.id]
  // A gateway like this one has this gateway's form of each format.
  const fits = health.isGateway(upstream.id) || native?.fits?.(request.outline, model) !== false
  return fits ? native : undefined
}

function prepareNative(run: Run, target: UpstreamTarget, native: Native): Prepared {
  const { call } = run
  const { framing = 'sse' } = native
  return {
    isNative: true,
    isTold: false,
    isMedia: operations[call.operation].replyType !== undefined,
    request: nativeRequest(run, target, native),
    read(received) {
      const body = received.json()
      if (!isObject(body))
        throw new GatewayError('upstream_garbled', `${target.providerId} answered with no object`)
      const made = native.made?.(body) ?? []
      const mended = native.mended?.(body)
      const bytes = mended === undefined ? received.bytes : Buffer.from(formatJson(mended))
      const answer = bytes === received.bytes ? received : { ...received, bytes }
      return { answer: { kind: 'native', received: answer }, made, usage: native.usage(body) }
    },
    ...(call.stream && {
      stream: {
        framing: typeof framing === 'function' ? framing(call.query) : framing,
        watcher: native.watcher(),
        hidesUsage: !asksForUsage(call),
      },
    }),
  }
}

function nativeRequest(run: Run, target: UpstreamTarget, native: Native): UpstreamRequest {
  const { format, operation, request, query, stream, headers: given } = run.call
  const isGateway = run.gateway.health.isGateway(target.upstream.id)
  const fields: Record<string, unknown> = isGateway
    ? {}
    : { ...native.reworded?.(request.outline, target.model) }
  if (format.modelIn !== 'path') fields['model'] = target.model
  if (stream && native.asksForUsage === true && !asksForUsage(run.call))
    fields['stream_options'] = {
      ...objectIn(request.outline['stream_options']),
      include_usage: true,
    }
  const headers: Record<string, string> = {}
  for (const name of native.headers ?? []) {
    const value = given[name]
    if (value !== undefined) headers[name] = value
  }
  const refused = refusedFields(run, target, native)
  const spliced = request.bytesWith(fields)
  const mend = native.mends?.(request.outline)
  const bytes = mend === undefined ? spliced : mend(spliced)
  const made = native.request({
    body: refused.length === 0 ? bytes : removeFields(bytes, refused),
    model: target.model,
    stream,
    headers,
    query,
    settings: target.upstream.settings,
  })
  const { quirks = [] } = target.upstream.provider
  if (quirks.length === 0) return made
  const value: Fields =
    mend === undefined
      ? { ...request.value, ...fields }
      : objectOf(parseJson(Buffer.from(bytes).toString('utf8')))
  for (const field of refused) Reflect.deleteProperty(value, field)
  return nativeQuirked(made, quirks, { operation, value })
}

/** What the model is known to refuse is left out and named; a gateway like this one knows its own models better. */
function refusedFields(run: Run, target: UpstreamTarget, native: Native): readonly string[] {
  const { gateway, call } = run
  if (gateway.health.isGateway(target.upstream.id)) return []
  const refused = native.refused?.(call.request.outline, target.model) ?? []
  if (refused.length === 0) return refused
  const { leftOut } = formatReports(call, modeOf(run, target))
  for (const field of refused)
    leftOut(field, `'${field}' is not supported by ${target.providerId} for this model`)
  return refused
}

/** The caller asked for usage itself: then the event that says it is not hidden. */
function asksForUsage({ format, request }: Call): boolean {
  return format.asksForUsage?.(request.outline) === true
}

function objectIn(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {}
}

/** A quirk works on JSON. Where it changes nothing the caller's bytes still pass as they came. */
function nativeQuirked(
  request: UpstreamRequest,
  quirks: readonly Quirk[],
  { operation, value }: { readonly operation: OperationName; readonly value: unknown },
): UpstreamRequest {
  if (request.body?.kind !== 'bytes') return request
  const asJson: UpstreamRequest = { ...request, body: { kind: 'json', value } }
  const changed = quirks.reduce((before, quirk) => quirk(before, operation), asJson)
  if (changed.body?.kind === 'json' && changed.body.value === value)
    return { ...changed, body: request.body }
  return changed
}

/** What a codec makes of. */
interface Encoding {
  readonly codec: Codec<OperationName>
  readonly canonical: AnyRequest
  readonly cancellation: Cancellation
}

/** A request that holds more waits for a turn between the canonical form and the upstream's. */
const encodedAtOnceBytesMax = 256 * 1024

async function prepareCodec(
  run: Run,
  target: UpstreamTarget,
  encoding: Encoding,
): Promise<Prepared> {
  const { call } = run
  const { codec, canonical } = encoding
  const isTold = call.stream && call.format.told !== undefined
  if (call.stream && !codec.stream && !isTold)
    throw new GatewayError(
      'unsupported_parameter',
      `${target.providerId} cannot stream this operation`,
      { param: 'stream' },
    )
  const context = await codecContext(run, target, encoding)
  if (call.held.bytes > encodedAtOnceBytesMax) await turn()
  const encoded = codec.encode(canonical, context)
  const { quirks = [] } = target.upstream.provider
  return {
    isNative: false,
    isTold,
    isMedia: codec.bytes === true,
    request: quirks.reduce((before, quirk) => quirk(before, call.operation), encoded),
    read(received) {
      const decoded = codec.decode(received, context, canonical)
      return isTold ? replyOf(decoded) : readingOf(decoded, received)
    },
    ...(call.stream &&
      codec.stream && {
        stream: {
          framing: codec.stream.framing ?? 'sse',
          watcher: codec.stream.watcher(),
          hidesUsage: false,
          reader: codec.stream.reader(context, canonical),
        },
      }),
  }
}

function readingOf(decoded: Decoded<OperationName>, received: Received): Reading {
  const { passBytes, rendered, usage } = decoded
  if (passBytes === true) return { answer: { kind: 'native', received }, usage }
  if (rendered) return { answer: { kind: 'native', received: { ...received, ...rendered } }, usage }
  return replyOf(decoded)
}

function replyOf({ reply, usage, jobId }: Decoded<OperationName>): Reading {
  return { answer: { kind: 'reply', reply, ...(jobId !== undefined && { jobId }) }, usage }
}

/** The files that the codec wants. With the first that cannot be had, the others are not waited for. */
async function fetchWanted(
  { gateway, call }: Run,
  { codec, canonical, cancellation }: Encoding,
): Promise<CodecContext['media']> {
  const wanted = codec.media?.(canonical) ?? []
  if (wanted.length === 0) return new Map()
  const files = namedFilesOf(gateway.engineContext, call)
  const bytesMax = gateway.engineContext.namedFileLimits().bytes
  const failed = new AbortController()
  const signal = AbortSignal.any([cancellation.signal, failed.signal])
  const fetched = wanted.map(async ({ url, param }) => {
    const { bytes, contentType } = await files.fetch(url, { bytesMax, param, signal })
    return [url, { bytes, contentType: contentType ?? 'application/octet-stream' }] as const
  })
  try {
    return new Map(await Promise.all(fetched))
  } catch (thrown) {
    failed.abort(thrown)
    throw thrown
  }
}

async function codecContext(
  run: Run,
  target: UpstreamTarget,
  encoding: Encoding,
): Promise<CodecContext> {
  const { gateway, call, route } = run
  const media = await fetchWanted(run, encoding)
  return {
    model: target.model,
    publicModel: route.model,
    ...reportsOf(run, target),
    now: gateway.now,
    newId: gateway.newId,
    settings: target.upstream.settings,
    media,
    effortWithoutThinking: call.format.effortWithoutThinking === true,
    isGateway: gateway.health.isGateway(target.providerId),
    ...(call.jobId !== undefined && { jobId: call.jobId }),
  }
}

function notOffered(target: Target, operation: OperationName): GatewayError {
  return new GatewayError(
    'unsupported_value',
    `${target.providerId} does not offer: ${operations[operation].summary.toLowerCase()}`,
    { param: 'model' },
  )
}

function addressOf(
  { elsewhere, origin, path }: UpstreamRequest,
  { baseUrl, version, isOtherBase }: UpstreamTarget['upstream'],
): string {
  if (elsewhere !== undefined) return elsewhere
  if (origin !== undefined && !isOtherBase) return origin + path
  return version !== undefined && path.startsWith(version)
    ? baseUrl + path.slice(version.length - 1)
    : baseUrl + path
}

/** A request that holds more is written as JSON in turns. */
const writtenAtOnceBytesMax = 1024 * 1024

/** As `outgoing`, a promise only for the large request of a call. */
export function outgoingOf(
  { gateway, call }: Run,
  { upstream }: UpstreamTarget,
  request: UpstreamRequest,
): OutgoingRequest | Promise<OutgoingRequest> {
  const { body } = request
  if (body?.kind !== 'json' || call.held.bytes <= writtenAtOnceBytesMax)
    return outgoing(request, upstream, gateway.newId)
  return formatLargeJson(body.value).then((bytes) =>
    outgoing(
      { ...request, body: { kind: 'bytes', contentType: 'application/json', bytes } },
      upstream,
      gateway.newId,
    ),
  )
}

/** The request as it leaves: address, headers, bytes. Credentials are added after, as some sign all of it. */
export function outgoing(
  request: UpstreamRequest,
  upstream: UpstreamTarget['upstream'],
  newId: (prefix: string) => string,
): OutgoingRequest {
  const { provider, headers } = upstream
  const { contentType, bytes } = bodyOf(request.body, newId)
  return {
    method: request.method,
    url: addressOf(request, upstream),
    headers: {
      'user-agent': 'sluice',
      ...provider.headers,
      ...(contentType !== undefined && { 'content-type': contentType }),
      ...request.headers,
      ...headers,
    },
    body: bytes,
  }
}

function bodyOf(
  body: UpstreamBody | undefined,
  newId: (prefix: string) => string,
): { contentType?: string; bytes: Uint8Array | undefined } {
  switch (body?.kind) {
    case undefined:
      return { bytes: undefined }
    case 'json':
      return { contentType: 'application/json', bytes: Buffer.from(JSON.stringify(body.value)) }
    case 'bytes':
      return { contentType: body.contentType, bytes: body.bytes }
    case 'form': {
      const boundary = newId('form-')
      return {
        contentType: `multipart/form-data; boundary=${boundary}`,
        bytes: formatForm(body.parts, boundary),
      }
    }
  }
}
