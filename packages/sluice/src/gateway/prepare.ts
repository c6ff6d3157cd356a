import {
  formatForm,
  GatewayError,
  type OperationName,
  operations,
  parseJson,
  spliceFields,
} from '@sluice/contract'
import type {
  Codec,
  CodecContext,
  FormatName,
  Native,
  UpstreamBody,
  UpstreamRequest,
} from '@sluice/protocols'
import type { OutgoingRequest } from '../providers/provider.ts'
import { type AnyRequest, type AttemptInput, unsupportedBy } from './attempt.ts'
import type { Call, Gateway } from './gateway.ts'
import type { Target } from './routing.ts'

export type UpstreamTarget = Extract<Target, { kind: 'upstream' }>

/** One request ready to be signed and sent, and how its answer is to be read. */
export type Prepared = { readonly request: UpstreamRequest } & (
  | { readonly mode: 'native'; readonly native: Native }
  | {
      readonly mode: 'codec'
      readonly codec: Codec<OperationName>
      readonly context: CodecContext
      readonly canonical: AnyRequest
    }
)

/**
 * The upstream's request: the caller's own bytes where the upstream speaks the caller's format, else what the codec
 * makes of the canonical request. Throws `unsupported_parameter` where the target cannot say a field.
 */
export async function prepare(input: AttemptInput, target: UpstreamTarget): Promise<Prepared> {
  const { call } = input
  const { provider } = target.upstream
  if (provider.operations && !provider.operations.includes(call.operation))
    throw notOffered(target, call.operation)
  const native = nativeOf(input.gateway, call, target)
  if (native) return prepareNative(input, target, native)

  const codec = provider.protocol.codecs[call.operation] as Codec<OperationName> | undefined
  if (!codec) throw notOffered(target, call.operation)
  if (call.stream && !codec.stream)
    throw new GatewayError(
      'unsupported_parameter',
      `${target.providerId} cannot stream this operation`,
      { param: 'stream' },
    )
  const canonical = input.canonical()
  const context = await codecContext(input, target, codec)
  const request = quirked(codec.encode(canonical, context), target, call.operation)
  return { mode: 'codec', request, codec, context, canonical }
}

/** The format the upstream speaks itself, where the call is in it and has JSON bytes to pass on. */
export function nativeOf(
  { health }: Pick<Gateway, 'health'>,
  call: Call,
  { upstream }: UpstreamTarget,
): Native | undefined {
  if (!call.raw) return undefined
  const name: FormatName = call.format?.id ?? call.operation
  if (health.lacksFormat(upstream.id, name)) return undefined
  const native = upstream.provider.protocol.native[name]
  return native?.fits?.(call.request) === false ? undefined : native
}

function prepareNative(
  { call }: AttemptInput,
  { upstream, model }: UpstreamTarget,
  native: Native,
): Prepared {
  const raw = call.raw ?? new Uint8Array()
  const fields: Record<string, unknown> = {}
  if (modelInBody(call)) fields['model'] = model
  if (call.stream && native.asksForUsage === true) {
    const options = call.request['stream_options']
    const given = typeof options === 'object' && options !== null ? options : {}
    if (!('include_usage' in given && given.include_usage === true))
      fields['stream_options'] = { ...given, include_usage: true }
  }
  const headers = Object.fromEntries(
    (native.headers ?? []).flatMap((name) => {
      const value = call.headers[name]
      return value === undefined ? [] : [[name, value] as const]
    }),
  )
  const request = native.request({
    body: Object.keys(fields).length === 0 ? raw : spliceFields(raw, fields),
    model,
    stream: call.stream,
    headers,
    query: call.query,
    settings: upstream.settings,
  })
  return {
    mode: 'native',
    native,
    request: nativeQuirked(request, upstream, call.operation),
  }
}

/** Gemini's formats name the model in the address. */
function modelInBody({ format }: Call): boolean {
  return format?.paths.every((path) => !path.includes('{model}')) ?? true
}

/** A quirk works on JSON. Where it changes nothing the caller's bytes still pass as they came. */
function nativeQuirked(
  request: UpstreamRequest,
  upstream: UpstreamTarget['upstream'],
  operation: OperationName,
): UpstreamRequest {
  const { quirks = [] } = upstream.provider
  if (quirks.length === 0 || request.body?.kind !== 'bytes') return request
  const value: unknown = parseJson(Buffer.from(request.body.bytes).toString('utf8'))
  const asJson: UpstreamRequest = { ...request, body: { kind: 'json', value } }
  const changed = quirks.reduce((before, quirk) => quirk(before, operation), asJson)
  if (changed.body?.kind === 'json' && changed.body.value === value)
    return { ...changed, body: request.body }
  return changed
}

function quirked(
  request: UpstreamRequest,
  { upstream }: UpstreamTarget,
  operation: OperationName,
): UpstreamRequest {
  return (upstream.provider.quirks ?? []).reduce(
    (before, quirk) => quirk(before, operation),
    request,
  )
}

const mediaBytesMax = 50 * 1024 * 1024

async function codecContext(
  input: AttemptInput,
  target: UpstreamTarget,
  codec: Codec<OperationName>,
): Promise<CodecContext> {
  const { gateway, call, route } = input
  const wanted = codec.media?.(input.canonical()) ?? []
  const fetched = await Promise.all(
    wanted.map(async ({ url, param }) => {
      const { bytes, contentType } = await gateway.engineContext.fetchMedia(url, {
        bytesMax: mediaBytesMax,
        param,
        signal: input.signal,
      })
      return [url, { bytes, contentType: contentType ?? 'application/octet-stream' }] as const
    }),
  )
  return {
    model: target.model,
    publicModel: route.model,
    unsupported: unsupportedBy(input, target),
    now: gateway.now,
    newId: gateway.newId,
    settings: target.upstream.settings,
    media: new Map(fetched),
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

/** The request as it leaves: address, headers, bytes. Credentials are added after, as some sign all of it. */
export function outgoing(
  request: UpstreamRequest,
  { baseUrl, provider, headers }: UpstreamTarget['upstream'],
  newId: (prefix: string) => string,
): OutgoingRequest {
  const { contentType, bytes } = bodyOf(request.body, newId)
  return {
    method: request.method,
    url: request.elsewhere ?? baseUrl + request.path,
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
