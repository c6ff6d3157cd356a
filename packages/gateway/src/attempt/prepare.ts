import {
  type Fields,
  GatewayError,
  isObject,
  type OperationName,
  objectOf,
  operations,
  parseJson,
  type Usage,
} from '@sluice/contract'
import {
  type Change,
  type CodecContext,
  type Decoded,
  type Native,
  type NativeTarget,
  outputLimitIn,
  type Quirk,
  type Received,
  type StreamReader,
  type StreamWatcher,
  type UpstreamRequest,
  withinOutput,
} from '@sluice/protocols'
import type { Call } from '../call/call.ts'
import type { AnyRequest } from '../call/canonical.ts'
import type { CallParts } from './call-parts.ts'
import { askedOutput } from '../admit/call-size.ts'
import { outputMaxOf } from './output-max.ts'
import type { Target, UpstreamTarget } from '../route/routing.ts'
import { asWritten, modeOf, nativeReportsOf, type CallDraft, reportsOf } from './call-run.ts'
import { turn } from '../turns/turn.ts'
import type { AttemptAnswer } from './attempt.ts'
import type { Cancellation } from '../call/cancellation.ts'
import { renderedType } from './media-type.ts'
import { namedFilesOf } from '../call/named-files.ts'
import { isOffered, type Offered, offeredBy } from './offered.ts'
import { assertOwnRouting } from './own-routing.ts'
import { outlineOf, withBody } from '../call/send.ts'
import { headersFor } from './native-headers.ts'
import { noChanges, type SplitChanges, splitChanges } from './split-changes.ts'
import type { Framing } from './splitters.ts'

/** The result of reading a whole response. */
export interface Reading {
  readonly answer: AttemptAnswer
  /** Ids of objects the response has created in the upstream's account. */
  readonly made?: readonly string[]
  readonly usage: Usage | undefined
}

/** How a stream is read. */
export interface StreamReading {
  readonly framing: Framing
  readonly watcher: StreamWatcher
  /** Whether to drop usage events that only the gateway asked for. */
  readonly hidesUsage: boolean
  /** Absent if the upstream's events are passed to the caller unchanged. */
  readonly reader?: StreamReader<OperationName>
}

/** A request ready to be signed and sent, and how to read its response. */
export interface Prepared {
  readonly request: UpstreamRequest
  /** Whether the caller's bytes are passed on unchanged. */
  readonly isNative: boolean
  /** Whether a response that is not JSON is media, if the operation has any, and passed through unchanged. */
  readonly takesMedia: boolean
  /** Reads a whole response. Throws `upstream_garbled`. */
  read(received: Received): Reading
  /** Set if the caller wants a stream. */
  readonly stream?: StreamReading
  /** The limit of the output in the request; undefined if it has none. */
  readonly outputLimit: () => number | undefined
  /** Whether a streaming request may be answered by a whole response, which is then converted to a stream. */
  readonly streamsWhole: boolean
}

/**
 * Builds the upstream's request: the caller's own bytes if the upstream speaks the caller's format, otherwise the
 * canonical request encoded by the codec. Throws `unsupported_parameter` if the target cannot express a field.
 */
export function prepare(
  run: CallDraft,
  target: UpstreamTarget,
  cancellation: Cancellation,
): Prepared | Promise<Prepared> {
  const { operation, key } = run.call
  const { provider, allowsRouting } = target.upstream
  if (key.isLimited && !allowsRouting) assertOwnRouting(run.call, target)
  const native = nativeOf(run.gateway, run.call, target)
  if (native) return prepareNative(run, target, native)
  const offered = offeredBy(provider, operation)
  if (!offered) throw notOffered(target, operation)
  const canonical = run.canonical(modeOf(run, target))
  return prepareCodec(run, target, { ...offered, canonical, cancellation }).catch(
    (thrown: unknown) => {
      throw asWritten(run.call, thrown)
    },
  )
}

/** The native support of the upstream for the caller's format, if the call has a JSON body to pass on. */
export function nativeOf(
  { health }: Pick<CallParts, 'health'>,
  { format, operation, request }: Call,
  { upstream, model }: UpstreamTarget,
): Native | undefined {
  if (!request.hasBytes || health.lacksFormat(upstream.baseUrl, format.id)) return undefined
  if (!isOffered(upstream.provider, operation)) return undefined
  const native = upstream.provider.protocol.native[format.id]
  // Another Sluice gateway supports exactly this gateway's variant of each format.
  if (!native || health.isGateway(upstream.id)) return native
  const found = request.inspectedBy(native)
  if (found.isForeign || native.takes?.(request.outline, found, model) === false) return undefined
  return native
}

function prepareNative(run: CallDraft, target: UpstreamTarget, native: Native): Prepared {
  const { call } = run
  const { framing = 'sse' } = native
  const found = call.request.inspectedBy(native)
  return {
    isNative: true,
    outputLimit() {
      const asked = askedOutput(call) ?? call.admission.outputLimit
      const most = outputMaxOf(run, target) ?? Number.POSITIVE_INFINITY
      return asked === undefined ? undefined : Math.min(asked, most)
    },
    streamsWhole: false,
    takesMedia: true,
    request: nativeRequest(run, target, native),
    read(received) {
      const body = outlineOf(received)
      if (!isObject(body))
        throw new GatewayError('upstream_garbled', `${target.providerId} answered with no object`)
      const { usage, made = [], repaired } = found.read(body)
      // What is repaired has to be whole. Whether it is needed does not depend on free texts.
      const whole = repaired && found.read(objectOf(received.json())).repaired
      const answer = whole ? withBody(received, whole) : received
      return { answer: { kind: 'native', received: answer }, made, usage }
    },
    ...(call.stream && {
      stream: {
        framing: typeof framing === 'function' ? framing(call.query) : framing,
        watcher: found.watcher(),
        hidesUsage: !asksForUsage(call),
      },
    }),
  }
}

function nativeRequest(run: CallDraft, target: UpstreamTarget, native: Native): UpstreamRequest {
  const { format, operation, request, query, stream } = run.call
  const changes = changesOf(run, target, native)
  const fields = { ...changes.fields }
  if (format.modelIn !== 'path') fields['model'] = target.model
  const headers = headersFor(run, target, native)
  const changed = changes.apply(request.bytesWith(fields))
  const bytes = request.inspectedBy(native).repaired?.(changed) ?? changed
  const made = native.request({
    body: bytes,
    model: target.model,
    stream,
    headers,
    query,
    settings: target.upstream.settings,
  })
  const { quirks = [] } = target.upstream.provider
  if (quirks.length === 0) return made
  // Without a change of the bytes, the request that was parsed before is the same.
  const isParsed = bytes === changed && changes.isPlain
  const value: Fields = isParsed
    ? { ...request.value, ...fields }
    : objectOf(parseJson(Buffer.from(bytes).toString('utf8')))
  return nativeQuirked(made, quirks, { operation, value })
}

/** Reports what the model does not accept. Another Sluice gateway does this for its own models. */
function changesOf(run: CallDraft, target: UpstreamTarget, native: Native): SplitChanges {
  const { call, gateway } = run
  const isGateway = gateway.health.isGateway(target.upstream.id)
  const { outputLimit } = call.admission
  const counts = call.stream && !asksForUsage(call) ? native.askForUsage : undefined
  const adapts = native.adapted !== undefined && !isGateway
  if (outputLimit === undefined && counts === undefined && !adapts) return noChanges
  const most = outputMaxOf(run, target)
  const adapted = isGateway
    ? undefined
    : native.adapted?.(call.request.outline, call.request.inspectedBy(native), {
        model: target.model,
        outputTokensMax: most,
        ...nativeReportsOf(run, target),
      })
  const changes = [
    ...(adapted ?? []),
    ...limitChange(call, most),
    ...(counts ? [counts(call.request.outline)] : []),
  ]
  return changes.length === 0 ? noChanges : splitChanges(changes)
}

/** Sets the limit of the output that the gateway has decided on. */
function limitChange(
  { format, request, admission: { outputLimit } }: Call,
  most: number | undefined,
): readonly Change[] {
  if (outputLimit === undefined || format.outputLimit === 'none') return []
  return [format.outputLimit.set(request.outline, Math.min(outputLimit, most ?? outputLimit))]
}

/** Whether the caller asked for usage itself; usage events are then not hidden. */
function asksForUsage({ format, request }: Call): boolean {
  return format.asksForUsage?.(request.outline) === true
}

/** Quirks work on JSON. If they change nothing, the caller's bytes are still passed on unchanged. */
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

/** The input of `prepareCodec`. */
interface Encoding extends Offered {
  readonly canonical: AnyRequest
  readonly cancellation: Cancellation
}

/** Larger requests yield to the event loop between decoding and encoding. */
const encodedAtOnceBytesMax = 256 * 1024

async function prepareCodec(
  run: CallDraft,
  target: UpstreamTarget,
  encoding: Encoding,
): Promise<Prepared> {
  const { call } = run
  const { codec, spoken, canonical: given } = encoding
  const streamsWhole = call.stream && call.format.stepsOf !== undefined
  if (call.stream && !codec.stream && !streamsWhole)
    throw new GatewayError(
      'unsupported_parameter',
      `${target.providerId} cannot stream this operation`,
      { param: 'stream' },
    )
  const most = outputMaxOf(run, target)
  const canonical = lowered(run, given, { ...reportsOf(run, target), outputTokensMax: most })
  const context = await codecContext(run, target, { ...encoding, canonical }, most)
  if (call.held.bytes > encodedAtOnceBytesMax) await turn()
  const encoded = codec.encode(canonical, context)
  const { quirks = [] } = target.upstream.provider
  return {
    isNative: false,
    streamsWhole,
    takesMedia: codec.bytes === true,
    outputLimit: () =>
      encoded.body?.kind === 'json' ? outputLimitIn(encoded.body.value) : undefined,
    request: quirks.reduce((before, quirk) => quirk(before, spoken), encoded),
    read(received) {
      const decoded = codec.decode(received, context, canonical)
      return streamsWhole ? replyOf(decoded) : readingOf(decoded, received, call.operation)
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

/** The request with the limit of its output lowered to what the target writes, or with the one that the gateway sets. */
export function lowered(
  { call: { operation, admission } }: CallDraft,
  canonical: AnyRequest,
  target: Pick<NativeTarget, 'leftOut' | 'outputTokensMax'>,
): AnyRequest {
  return withinOutput(operation, canonical, { ...target, limit: admission.outputLimit })
}

function readingOf(
  decoded: Decoded<OperationName>,
  received: Received,
  operation: OperationName,
): Reading {
  const { passBytes, rendered, usage } = decoded
  if (passBytes === true) return { answer: { kind: 'native', received }, usage }
  if (rendered) {
    const contentType = renderedType(rendered.contentType, operation)
    const answer = { ...received, ...rendered, contentType }
    return { answer: { kind: 'native', received: answer }, usage }
  }
  return replyOf(decoded)
}

function replyOf({ reply, usage, jobId, made = [] }: Decoded<OperationName>): Reading {
  return { answer: { kind: 'reply', reply, ...(jobId !== undefined && { jobId }) }, made, usage }
}

/** Fetches the files the codec needs. When one fails, the other fetches are aborted. */
async function fetchWanted(
  { gateway, call }: CallDraft,
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
  run: CallDraft,
  target: UpstreamTarget,
  encoding: Encoding,
  outputTokensMax: number | undefined,
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
    isOtherBase: target.upstream.isOtherBase,
    ...(outputTokensMax !== undefined && { outputTokensMax }),
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
