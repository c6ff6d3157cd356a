import { GatewayError } from '@sluice/contract'
import type { AnyRequest } from '../canonical.ts'
import type { Call } from '../call.ts'
import type { Gateway } from '../gateway.ts'
import type { Route, Target } from '../route/routing.ts'

/** A call on its way: what every step from the route to the last attempt knows. */
export interface Run {
  readonly gateway: Gateway
  readonly call: Call
  readonly route: Route
  /** The canonical request; made once, when the first target needs it. */
  readonly canonical: () => AnyRequest
}

/** The path of a canonical field in the caller's own format; undefined for what the caller did not write. */
function pathIn({ format, request }: Call, param: string): string | undefined {
  return format.paramOf ? format.paramOf(param, request) : param
}

/** An error about a field of the canonical request, said of the field that the caller wrote. */
export function asWritten(call: Call, thrown: unknown): GatewayError {
  const error = GatewayError.from(thrown)
  const { code, message, details } = error
  const path = details.param === undefined ? undefined : pathIn(call, details.param)
  if (path === undefined || path === details.param) return error
  return new GatewayError(code, message, { ...details, param: path })
}

/** Notes as dropped what a target lacks though it only advises; the path is said in the caller's own format. */
export function leftOutBy({ call }: Run): (param: string) => void {
  return (param) => {
    const path = pathIn(call, param)
    if (path !== undefined) call.trail.dropped.add(path)
  }
}

/** Refuses, or notes as dropped, what a target cannot express; the path is said in the caller's own format. */
export function unsupportedBy(
  { route, call }: Run,
  target: Target,
): (param: string, reason?: string) => void {
  return (param, reason) => {
    const path = pathIn(call, param) ?? param
    if (route.options.unsupported === 'report') {
      call.trail.dropped.add(path)
      return
    }
    const why = reason === undefined ? '' : `: ${reason}`
    throw new GatewayError(
      'unsupported_parameter',
      `'${path}' is not supported by ${target.providerId} for this model${why}`,
      { param: path },
    )
  }
}
