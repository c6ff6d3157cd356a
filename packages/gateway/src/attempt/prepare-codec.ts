import { GatewayError, type OperationName } from '@sluice/contract'
import { outputLimitIn, withinOutput } from '@sluice/protocols/output-limit.ts'
import type {
  CodecContext,
  Decoded,
  Elsewhere,
  Received,
  UpstreamRequest,
} from '@sluice/protocols/protocol.ts'
import type { AnyRequest } from '../call/canonical.ts'
import type { Cancellation } from '../call/cancellation.ts'
import { namedFilesOf } from '../call/named-files.ts'
import type { UpstreamTarget } from '../route/routing.ts'
import { turn } from '../turns/turn.ts'
import { type CallDraft, reportsOf } from './call-run.ts'
import { renderedType } from './media-type.ts'
import type { Offered } from './offered.ts'
import { outputMaxOf } from './output-max.ts'
import type { Prepared, Reading } from './prepared.ts'

/** The input of `prepareCodec`. */
interface Encoding extends Offered {
  readonly canonical: AnyRequest
  readonly cancellation: Cancellation
}

/** Larger requests yield to the event loop between decoding and encoding. */
const encodedAtOnceBytesMax = 256 * 1024

/** Encodes the canonical request for an upstream. Throws `unsupported_parameter` if the target cannot express a field. */
export async function prepareCodec(
  run: CallDraft,
  target: UpstreamTarget,
  encoding: Encoding,
): Promise<Prepared> {
  const { call } = run
  const { spoken, canonical: given } = encoding
  const elsewhere = elsewhereOf(run, target, encoding)
  const { codec } = elsewhere ?? encoding
  const streamsWhole = call.stream && call.format.stepsOf !== undefined
  if (call.stream && !codec.stream && !streamsWhole)
    throw new GatewayError(
      'unsupported_parameter',
      `${target.providerId} cannot stream this operation`,
      { param: 'stream' },
    )
  const most = outputMaxOf(run, target)
  const canonical = lowered(run, given, { ...reportsOf(run, target), outputTokensMax: most })
  const context = await codecContext(run, target, { ...encoding, codec, canonical }, most)
  if (call.held.bytes > encodedAtOnceBytesMax) await turn()
  const encoded = codec.encode(canonical, context)
  const { quirks = [], protocol } = target.upstream.provider
  const request = quirks.reduce((before, quirk) => quirk(before, spoken, context), encoded)
  return {
    isNative: false,
    ...(elsewhere && { addressOf: elsewhere.format }),
    named: (call.operation === 'chat' && protocol.named?.(jsonIn(request))) || [],
    streamsWhole,
    takesMedia: codec.bytes === true,
    outputLimit: () => outputLimitIn(jsonIn(encoded)),
    request,
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

/** The codec for another address, where the upstream refuses the request at the usual one and does not lack the other. */
function elsewhereOf(
  { gateway: { health }, call, isTranslated }: CallDraft,
  { model, family, providerId, upstream: { baseUrl } }: UpstreamTarget,
  { codec, canonical }: Encoding,
): Elsewhere<OperationName> | undefined {
  if (isTranslated === true || health.isGateway(providerId)) return undefined
  const found = codec.elsewhere?.(canonical, { family })
  return found && !health.lacksFormat(baseUrl, found.format, model, call.key.id) ? found : undefined
}

/** The request with the limit of its output lowered to what the target writes, or with the one that the gateway sets. */
export function lowered(
  { call: { operation, admission } }: CallDraft,
  canonical: AnyRequest,
  target: Pick<CodecContext, 'leftOut'> & { readonly outputTokensMax: number | undefined },
): AnyRequest {
  return withinOutput(operation, canonical, { ...target, limit: admission.outputLimit })
}

function jsonIn({ body }: UpstreamRequest): unknown {
  return body?.kind === 'json' ? body.value : undefined
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
    family: target.family,
    publicModel: route.model,
    ...reportsOf(run, target),
    now: gateway.now,
    newId: gateway.newId,
    settings: target.upstream.settings,
    headers: call.headers,
    media,
    effortWithoutThinking: call.format.effortWithoutThinking === true,
    isGateway: gateway.health.isGateway(target.providerId),
    isOtherBase: target.upstream.isOtherBase,
    ...(outputTokensMax !== undefined && { outputTokensMax }),
    ...(call.jobId !== undefined && { jobId: call.jobId }),
  }
}
