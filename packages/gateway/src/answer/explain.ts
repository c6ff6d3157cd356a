import { type DefaultParameters, GatewayError } from '@sluice/contract'
import type { UnsupportedMode } from '../settings/unsupported-mode.ts'
import { outgoing } from '../providers/provider.ts'
import { claimsAt, limitText } from '../failover/take-rates.ts'
import { prepare } from '../attempt/prepare.ts'
import { prepareEngine } from '../attempt/prepare-engine.ts'
import type { Call } from '../call/call.ts'
import type { CallParts } from '../attempt/call-parts.ts'
import { type RouteParts, orderFor, whyUnavailable } from '../route/call-route.ts'
import type { Route, Target } from '../route/routing.ts'
import { everyLevel, unpricedNote } from '../route/unpriced.ts'
import { type CallDraft, modeOf, draft, withCall } from '../attempt/call-run.ts'

/** The result of a dry run: what would happen to a call, without sending anything. */
export interface Explanation {
  readonly model: string
  /** Targets in the order in which they would be tried now; the first that is not skipped is chosen. */
  readonly targets: readonly ExplainedTarget[]
  readonly options: Route['options']
  /** The default parameters of the route that the request does not give. */
  readonly defaults: DefaultParameters
  /** Sentences about how the route was found. */
  readonly notes: readonly string[]
}

export interface ExplainedTarget {
  readonly target: string
  /** The configuration line or rule that added it. */
  readonly because: string
  readonly chosen: boolean
  readonly priority: number
  readonly weight: number
  /** The policy for fields it cannot express. */
  readonly unsupported: UnsupportedMode
  /** Whether it would be asked in its turn. */
  readonly available: boolean
  /** Why not; null if it would. */
  readonly unavailable: string | null
  /** Concurrency limits of the target and its provider, with current usage. Usually empty. */
  readonly places: readonly {
    readonly of: string
    readonly most: number
    readonly inside: number
    readonly waiting: number
  }[]
  /** The limits per minute of the target, with what is left of them. Usually empty. */
  readonly rates: readonly {
    readonly unit: 'requests' | 'tokens'
    readonly limit: number
    readonly remaining: number
  }[]
  /** Why it would be passed over now; null if it would not. */
  readonly skipped: string | null
  /** Moving average of the time to first content, in milliseconds; null if unknown. */
  readonly latencyMs: number | null
  /**
   * `native`: the caller's bytes are passed on unchanged. `translated`: converted through the canonical form.
   * `engine`: answered in this process.
   */
  readonly mode: 'native' | 'translated' | 'engine' | 'refused'
  /** The exact request, without credentials. Absent for engines and refusals. */
  readonly upstream?: { readonly method: string; readonly url: string; readonly body: unknown }
  /** Fields that would be left out; of a package of the AI SDK only those that no package takes. */
  readonly dropped: readonly string[]
  /** What its unknown price means for calls that a budget counts; null if the price is known. */
  readonly unpriced: string | null
  /** Why this target would refuse the request. */
  readonly error?: {
    readonly message: string
    readonly code: string | null
    readonly param: string | null
  }
}

export async function explainCall(
  gateway: CallParts & RouteParts,
  asked: Call,
): Promise<Explanation> {
  const run = await draft(gateway, asked)
  const { call, route } = run
  const targets: ExplainedTarget[] = []
  const isPriced = ({ price }: Target) => price.written(gateway.now()) !== undefined
  const isAlone = !everyLevel(route).flat().some(isPriced)
  for (const target of orderFor(gateway, call, route)) {
    const trail = { ...call.trail, dropped: new Set<string>() }
    const unavailable = whyUnavailable(gateway.health, target, call.key.id)
    targets.push({
      target: target.id,
      because: target.because,
      chosen: false,
      priority: target.priority,
      weight: target.weight,
      unsupported: modeOf(run, target),
      available: unavailable === undefined,
      unavailable: unavailable ?? null,
      places: await slotUsageAt(gateway, target),
      ...(await rateUsageAt(run, target)),
      latencyMs: gateway.health.latencyMs(target.id) ?? null,
      unpriced: isPriced(target) ? null : unpricedNote(target.id, isAlone),
      ...(await encoded(withCall(run, { ...call, trail }), target)),
    })
  }
  const chosen = targets.find(({ skipped }) => skipped === null) ?? targets[0]
  return {
    model: route.model,
    targets: targets.map((one) => ({ ...one, chosen: one === chosen })),
    options: route.options,
    defaults: call.defaults?.all ?? {},
    notes: notesOf(route),
  }
}

function notesOf(route: Route): readonly string[] {
  const { model, defaultModel, tooLong, longer } = route
  const tooSmall = tooLong?.targets.map(
    ({ id, inputTokensMax }) =>
      `${id} is skipped: about ${tooLong.tokens} tokens are more than its ${inputTokensMax?.()}.`,
  )
  return [
    ...(defaultModel === undefined
      ? []
      : [`Nothing here knows ${JSON.stringify(model)}: the defaultModel ${defaultModel} serves.`]),
    ...(tooSmall ?? []),
    ...(tooLong && longer === undefined ? ['The models of longer serve instead.'] : []),
    ...(longer?.length
      ? [`If the prompt is too long: ${longer.map(({ name }) => name).join(', ')}.`]
      : []),
  ]
}

function slotUsageAt(
  { upstreamSlots }: Pick<CallParts, 'upstreamSlots'>,
  { slots }: Target,
): Promise<ExplainedTarget['places']> {
  return Promise.all(
    slots.map(async ({ name, inside: most }) => ({
      of: name,
      most,
      ...(await upstreamSlots(name).look()),
    })),
  )
}

async function rateUsageAt(
  run: CallDraft,
  { rates }: Target,
): Promise<Pick<ExplainedTarget, 'rates' | 'skipped'>> {
  if (rates.length === 0) return { rates: [], skipped: null }
  const claims = claimsAt(run, rates, 1)
  const left = (await run.gateway.limiter.look(claims)).map(({ remaining }) => remaining)
  const used = claims.find(({ amount }, index) => amount > (left[index] ?? amount))
  return {
    rates: rates.map(({ unit, limit }, index) => ({
      unit,
      limit,
      remaining: left[index] ?? limit,
    })),
    skipped: used ? limitText(used) : null,
  }
}

async function encoded(
  run: CallDraft,
  target: Target,
): Promise<Pick<ExplainedTarget, 'mode' | 'upstream' | 'dropped' | 'error'>> {
  const { gateway, call } = run
  try {
    if (target.kind === 'engine') {
      prepareEngine(run, target)
      return { mode: 'engine', dropped: [...call.trail.dropped] }
    }
    const prepared = await prepare(run, target, call.cancellation)
    const request = outgoing(prepared.request, target.upstream, gateway.newId)
    return {
      mode: prepared.isNative ? 'native' : 'translated',
      upstream: {
        method: request.method,
        url: request.url,
        body: readable(request.body, request.headers['content-type']),
      },
      dropped: [...call.trail.dropped],
    }
  } catch (thrown) {
    const { message, publicCode, details } = GatewayError.from(thrown)
    const error = { message, code: publicCode, param: details.param ?? null }
    return { mode: 'refused', dropped: [...call.trail.dropped], error }
  }
}

function readable(body: Uint8Array | undefined, contentType = ''): unknown {
  if (!body) return null
  if (contentType.includes('json')) return JSON.parse(Buffer.from(body).toString('utf8'))
  return `${body.length} bytes of ${contentType.split(';')[0]}`
}
