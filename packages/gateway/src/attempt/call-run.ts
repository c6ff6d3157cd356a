import { GatewayError, type Operation, operations, validate } from '@sluice/contract'
import type { FormatContext } from '@sluice/protocols/client-format.ts'
import type { UnsupportedMode } from '../settings/unsupported-mode.ts'
import type { Admitted } from '../admit/admit.ts'
import { fittedRoute } from '../admit/fitted-route.ts'
import type { Bound } from './account.ts'
import type { TakenSlots } from './taken-slots.ts'
import { type Call, formatContext } from '../call/call.ts'
import { type RouteParts, routeOf } from '../route/call-route.ts'
import { defaultedCall } from '../route/defaulted-call.ts'
import type { AnyRequest } from '../call/canonical.ts'
import type { CallParts } from './call-parts.ts'
import type { Route, Target } from '../route/routing.ts'

/** A call on its route, as far as requests for its targets can be built. */
export interface CallDraft<Parts = CallParts> {
  readonly gateway: Parts
  readonly call: Call
  readonly route: Route
  /** What is sent instead of the caller's request, such as a part of it. Absent: the caller's request. */
  readonly canonical?: AnyRequest
  /** The caller's request in the canonical form, by mode, as far as a target has needed it. */
  readonly translated: Partial<Record<UnsupportedMode, AnyRequest>>
  /** The most output tokens that the target has just said to accept. */
  readonly outputTokensMax?: number
  /** Whether the upstream is asked in its own form although it may speak the caller's. */
  readonly isTranslated?: boolean
}

/** An admitted call being processed: the context shared by all steps to the last attempt. */
export interface CallRun<Parts = CallParts> extends CallDraft<Parts> {
  readonly admitted: Admitted
  /** What the call needs of an upstream; absent if it names nothing that is kept there. */
  readonly bound?: Bound
  /** The room at its target that this try holds. */
  readonly slots?: TakenSlots
  /** The number of attempts this try is split into; absent means one. */
  readonly pieces?: number
  /** Whether this is beside the call's main work, such as a count: what happens says nothing of the target and its keys. */
  readonly isAside?: boolean
}

/** What would be sent of a call that was not admitted. Throws as `routeOf`. */
export async function draft(gateway: CallParts & RouteParts, call: Call): Promise<CallDraft> {
  const route = fittedRoute(call, await routeOf(gateway, call))
  return { gateway, call: defaultedCall(call, route), route, translated: {} }
}

/** The same run for another request of the caller; the route is kept. */
export function withCall<D extends CallDraft>(run: D, call: Call): D {
  return { ...run, call, translated: {} }
}

/** The canonical request for a mode. Translated at most once per mode, and only if a target needs it. */
export function canonicalOf(run: CallDraft, mode: UnsupportedMode): AnyRequest {
  if (run.canonical) return run.canonical
  run.translated[mode] ??= translate(run, mode)
  return run.translated[mode]
}

function translate({ gateway, call }: CallDraft, mode: UnsupportedMode): AnyRequest {
  const { format, operation, request, defaults } = call
  const context = {
    ...formatContext(gateway, call.headers, call.trail),
    ...formatReports(call, mode),
  }
  const translated = format.toCanonical(request.value, context)
  // Requests in the gateway's own format were already validated when the call was created.
  if (format.isOwn === true) {
    for (const name of Object.keys(defaults?.further ?? {})) context.leftOut(name)
    return translated
  }
  const { request: schema, check }: Operation = operations[operation]
  try {
    const canonical = validate(schema, { ...translated, ...defaults?.further }) as AnyRequest
    check?.(canonical)
    return canonical
  } catch (thrown) {
    throw asWritten(call, thrown)
  }
}

/**
 * The policy for fields a target cannot express. The call's setting wins over the route's, and that over the
 * target's.
 */
export function modeOf({ call, route }: CallDraft, target: Target): UnsupportedMode {
  return call.unsupported ?? route.options.unsupported ?? target.unsupported
}

/** The path of a canonical field in the caller's own format; undefined if the caller did not write it. */
function pathIn({ format, request }: Call, param: string): string | undefined {
  return format.paramOf ? format.paramOf(param, request.value) : param
}

/** Errors whose path is already in the caller's format; translating it again could give a wrong path. */
const written = new WeakSet<GatewayError>()

function refusal(message: string, param: string): GatewayError {
  const error = new GatewayError('unsupported_parameter', message, { param })
  written.add(error)
  return error
}

/** Converts the path of an error from the canonical request to the caller's format. */
export function asWritten(call: Call, thrown: unknown): GatewayError {
  const error = GatewayError.from(thrown)
  if (written.has(error)) return error
  const { code, message, details } = error
  const path = details.param === undefined ? undefined : pathIn(call, details.param)
  if (path === undefined || path === details.param) return error
  return new GatewayError(code, message, { ...details, param: path })
}

type Reports = Pick<FormatContext, 'unsupported' | 'leftOut'>

/** Refuses fields a target cannot express, or records them as dropped. Given paths are those of canonical fields. */
export function reportsOf(run: CallDraft, target: Target): Reports {
  return reportsAt(run, target, (param) => pathIn(run.call, param))
}

/** The same for a request in the caller's own format, where the given paths are. */
export function nativeReportsOf(run: CallDraft, target: Target): Reports {
  return reportsAt(run, target, (param) => param)
}

function reportsAt(
  run: CallDraft,
  target: Target,
  pathOf: (param: string) => string | undefined,
): Reports {
  const { dropped } = run.call.trail
  const mode = modeOf(run, target)
  const note = (path: () => string | undefined): void => noteDropped(dropped, path)
  const refuse = (path: string, reason: string | undefined): never => {
    const why = reason === undefined ? '' : `: ${reason}`
    throw refusal(`'${path}' is not supported by ${target.providerId} for this model${why}`, path)
  }
  return {
    unsupported(param, reason) {
      const path = () => pathOf(param) ?? param
      if (mode !== 'report') refuse(path(), reason)
      note(path)
    },
    leftOut(param, reason) {
      const path = () => pathOf(param)
      const refused = mode === 'refuse' ? path() : undefined
      if (refused !== undefined) refuse(refused, reason)
      note(path)
    },
  }
}

/** More paths than the response header has room for. Further ones are reported as `...`. */
const droppedMax = 200
const furtherDropped = '...'

/** Translating a path takes time proportional to the request, so it is skipped beyond the limit. */
function noteDropped(dropped: Set<string>, path: () => string | undefined): void {
  const named = dropped.size < droppedMax ? path() : furtherDropped
  if (named !== undefined) dropped.add(named)
}

/**
 * As `reportsOf`, for fields a client format cannot express in the canonical form. Paths are already in that format.
 */
export function formatReports({ trail: { dropped } }: Call, mode: UnsupportedMode): Reports {
  const refuse = (param: string, reason: string): never => {
    throw refusal(reason, param)
  }
  return {
    unsupported(
      param,
      reason = `'${param}' reaches only an upstream that speaks this format itself`,
    ) {
      if (mode !== 'report') refuse(param, reason)
      noteDropped(dropped, () => param)
    },
    leftOut(param, reason = `'${param}' reaches only an upstream that speaks this format itself`) {
      if (mode === 'refuse') refuse(param, reason)
      noteDropped(dropped, () => param)
    },
  }
}
