import { GatewayError } from '@sluice/contract'
import type { FormatContext } from '@sluice/protocols'
import type { UnsupportedMode } from '../../config/unsupported-mode.ts'
import type { HeldPlaces } from '../attempt/held-places.ts'
import type { Call } from '../call.ts'
import type { AnyRequest } from '../canonical.ts'
import type { Gateway } from '../gateway.ts'
import type { Route, Target } from '../route/routing.ts'

/** A call on its way: what every step from the route to the last attempt knows. */
export interface Run {
  readonly gateway: Gateway
  readonly call: Call
  readonly route: Route
  /** The canonical request under one mode; made once, when the first target needs it. */
  readonly canonical: (mode: UnsupportedMode) => AnyRequest
  /** What this try holds of a target that takes only so many calls at a time. */
  readonly places?: HeldPlaces
  /** Of how many attempts this try at a target is made, where it is asked for its answer piece by piece; absent: one. */
  readonly pieces?: number
}

/** What happens to the fields of a call that a target cannot express: what is said nearest to the call wins. */
export function modeOf({ call, route }: Run, target: Target): UnsupportedMode {
  return call.unsupported ?? route.options.unsupported ?? target.unsupported
}

/** The path of a canonical field in the caller's own format; undefined for what the caller did not write. */
function pathIn({ format, request }: Call, param: string): string | undefined {
  return format.paramOf ? format.paramOf(param, request.value) : param
}

/** Errors whose path is the caller's own already; once more it could become that of another tool. */
const written = new WeakSet<GatewayError>()

function refusal(message: string, param: string): GatewayError {
  const error = new GatewayError('unsupported_parameter', message, { param })
  written.add(error)
  return error
}

/** An error about a field of the canonical request, said of the field that the caller wrote. */
export function asWritten(call: Call, thrown: unknown): GatewayError {
  const error = GatewayError.from(thrown)
  if (written.has(error)) return error
  const { code, message, details } = error
  const path = details.param === undefined ? undefined : pathIn(call, details.param)
  if (path === undefined || path === details.param) return error
  return new GatewayError(code, message, { ...details, param: path })
}

type Reports = Pick<FormatContext, 'unsupported' | 'leftOut'>

/** Refuses, or notes as dropped, what a target cannot express; paths are said in the caller's own format. */
export function reportsOf(run: Run, target: Target): Reports {
  const { call } = run
  const { dropped } = call.trail
  const mode = modeOf(run, target)
  const note = (path: () => string | undefined): void => noteDropped(dropped, path)
  const refuse = (path: string, reason: string | undefined): never => {
    const why = reason === undefined ? '' : `: ${reason}`
    throw refusal(`'${path}' is not supported by ${target.providerId} for this model${why}`, path)
  }
  return {
    unsupported(param, reason) {
      const path = () => pathIn(call, param) ?? param
      if (mode !== 'report') refuse(path(), reason)
      note(path)
    },
    leftOut(param, reason) {
      const path = () => pathIn(call, param)
      const refused = mode === 'refuse' ? path() : undefined
      if (refused !== undefined) refuse(refused, reason)
      note(path)
    },
  }
}

/** More paths than the header that names them has room for; what is beyond them is said to be there. */
const droppedMax = 200
const furtherDropped = '...'

/** To say a path in the caller's words takes the time of the request: of a request of ten thousand it is not done for each. */
function noteDropped(dropped: Set<string>, path: () => string | undefined): void {
  const named = dropped.size < droppedMax ? path() : furtherDropped
  if (named !== undefined) dropped.add(named)
}

/** The same for what a client format itself cannot say in the canonical form, by its own paths. */
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
