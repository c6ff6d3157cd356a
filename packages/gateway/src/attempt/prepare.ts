import {
  type Fields,
  GatewayError,
  isObject,
  type OperationName,
  objectOf,
  operations,
  parseJson,
} from '@sluice/contract'
import type { Change, Reports } from '@sluice/protocols/native-target.ts'
import type { Native, Quirk, UpstreamRequest } from '@sluice/protocols/protocol.ts'
import { askedOutput } from '../admit/call-size.ts'
import type { Call } from '../call/call.ts'
import { splitChanges } from '../call/call-request.ts'
import type { Cancellation } from '../call/cancellation.ts'
import { outlineOf, withBody } from '../call/send.ts'
import type { Target, UpstreamTarget } from '../route/routing.ts'
import type { CallParts } from './call-parts.ts'
import {
  asWritten,
  type CallDraft,
  canonicalOf,
  formatReports,
  modeOf,
  nativeReportsOf,
} from './call-run.ts'
import { noteExpectedInput } from './estimate.ts'
import { offeredBy } from './offered.ts'
import { outputMaxOf } from './output-max.ts'
import { assertOwnRouting } from './own-routing.ts'
import { prepareCodec } from './prepare-codec.ts'
import type { Prepared } from './prepared.ts'

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
  const native = run.isTranslated === true ? undefined : nativeOf(run.gateway, run.call, target)
  if (native) return prepareNative(run, target, native)
  const offered = offeredBy(provider, operation)
  if (!offered) throw notOffered(target, operation)
  const canonical = canonicalOf(run, modeOf(run, target))
  noteExpectedInput(run.call)
  return prepareCodec(run, target, { ...offered, canonical, cancellation }).catch(
    (thrown: unknown) => {
      throw asWritten(run.call, thrown)
    },
  )
}

/** The native support of the upstream for the caller's format, if the call has a JSON body to pass on. */
export function nativeOf(
  { health }: Pick<CallParts, 'health'>,
  { format, operation, request, key }: Call,
  target: UpstreamTarget,
): Native | undefined {
  const { upstream, model } = target
  if (!request.hasBytes) return undefined
  if (health.lacksFormat(upstream.baseUrl, format.id, model, key.id)) return undefined
  if (upstream.provider.operations?.includes(operation) === false) return undefined
  const native = upstream.provider.protocol.native[format.id]
  if (!native) return undefined
  const found = request.inspectedBy(native)
  // Another Sluice gateway supports exactly this gateway's variant of each format.
  if (found.isTakenByAll || health.isGateway(upstream.id)) return native
  if (found.isForeign || native.takes?.(request.outline, found, target) === false) return undefined
  return native
}

function prepareNative(run: CallDraft, target: UpstreamTarget, native: Native): Prepared {
  const { call } = run
  const { framing = 'sse' } = native
  const found = call.request.inspectedBy(native)
  const { protocol } = target.upstream.provider
  return {
    isNative: true,
    // An operation's own format has no other form to fall back to.
    ...(call.format.isOwn !== true && { addressOf: call.format.id }),
    named: call.operation === 'chat' && protocol.named ? found.named : [],
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
  if (run.call.defaults) reportFurtherDefaults(run, target, run.call.defaults.further)
  const changes = changesOf(run, target, native)
  const split = changes.length === 0 ? undefined : splitChanges(changes)
  const fields = { ...split?.fields }
  if (format.modelIn !== 'path') fields['model'] = target.model
  const headers = headersFor(run, target, native)
  const spliced = request.bytesWith(fields)
  const changed = split?.apply(spliced) ?? spliced
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
  const isParsed = bytes === changed && split?.isPlain !== false
  const value: Fields = isParsed
    ? { ...request.value, ...fields }
    : objectOf(parseJson(Buffer.from(bytes).toString('utf8')))
  return nativeQuirked(made, quirks, { operation, value, reports: nativeReportsOf(run, target) })
}

/** Defaults of the route that the format has no field for do not reach an upstream that is asked in it. */
function reportFurtherDefaults(run: CallDraft, target: UpstreamTarget, further: object): void {
  const { leftOut, unsupported } = nativeReportsOf(run, target)
  for (const name of Object.keys(further))
    if (decisive.has(name)) unsupported(name, noField)
    else leftOut(name, noField)
}

/** Defaults that change what a response means, and do not only advise. */
const decisive: ReadonlySet<string> = new Set(['stop', 'logprobs', 'top_logprobs'])

const noField = 'the default of the route has no place in a request of this format'

/** The caller's headers that are sent on. What the upstream does not take of them is reported as left out. */
function headersFor(
  run: CallDraft,
  target: UpstreamTarget,
  native: Native,
): Readonly<Record<string, string>> {
  const { headers: given, request } = run.call
  const headers: Record<string, string> = {}
  for (const name of native.headers ?? []) {
    const value = given[name]
    if (value !== undefined) headers[name] = value
  }
  // Ids of the caller's own account mean nothing in the gateway's, and those of the gateway's are not the caller's to use.
  for (const name of native.heldHeaders ?? [])
    if (given[name] !== undefined) formatReports(run.call, modeOf(run, target)).leftOut(name)
  if (!native.fitHeaders) return headers
  return native.fitHeaders(headers, request.outline, (name) =>
    formatReports(run.call, modeOf(run, target)).leftOut(
      name,
      `${target.providerId} does not take all of '${name}'`,
    ),
  )
}

/** Reports what the model does not accept. Another Sluice gateway does this for its own models. */
function changesOf(run: CallDraft, target: UpstreamTarget, native: Native): readonly Change[] {
  const { call, gateway } = run
  const { outline } = call.request
  const counts = call.stream && !asksForUsage(call) ? native.askForUsage : undefined
  const found = call.request.inspectedBy(native)
  const adapted =
    found.isTakenByAll || gateway.health.isGateway(target.upstream.id)
      ? undefined
      : native.adapted?.(outline, found, {
          model: target.model,
          family: target.family,
          outputTokensMax: () => outputMaxOf(run, target),
          ...nativeReportsOf(run, target),
        })
  const limit = call.admission.outputLimit
  if (limit === undefined && counts === undefined) return adapted ?? []
  return [
    ...(adapted ?? []),
    ...(limit === undefined ? [] : limitChange(call, limit, outputMaxOf(run, target))),
    ...(counts ? [counts(outline)] : []),
  ]
}

/** Sets the limit of the output that the gateway has decided on. */
function limitChange(
  { format, request }: Call,
  limit: number,
  most: number | undefined,
): readonly Change[] {
  if (format.outputLimit === 'none') return []
  return [format.outputLimit.set(request.outline, Math.min(limit, most ?? limit))]
}

/** Whether the caller asked for usage itself; usage events are then not hidden. */
function asksForUsage({ format, request }: Call): boolean {
  return format.asksForUsage?.(request.outline) === true
}

/** Quirks work on JSON. If they change nothing, the caller's bytes are still passed on unchanged. */
function nativeQuirked(
  request: UpstreamRequest,
  quirks: readonly Quirk[],
  {
    operation,
    value,
    reports,
  }: {
    readonly operation: OperationName
    readonly value: unknown
    readonly reports: Pick<Reports, 'leftOut'>
  },
): UpstreamRequest {
  if (request.body?.kind !== 'bytes') return request
  const asJson: UpstreamRequest = { ...request, body: { kind: 'json', value } }
  const changed = quirks.reduce((before, quirk) => quirk(before, operation, reports), asJson)
  if (changed.body?.kind === 'json' && changed.body.value === value)
    return { ...changed, body: request.body }
  return changed
}

function notOffered(target: Target, operation: OperationName): GatewayError {
  return new GatewayError(
    'unsupported_value',
    `${target.providerId} does not offer: ${operations[operation].summary.toLowerCase()}`,
    { param: 'model' },
  )
}
