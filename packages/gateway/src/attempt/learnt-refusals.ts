import type { GatewayError } from '@sluice/contract'
import type { FormatName } from '@sluice/protocols/client-format.ts'
import { type OutputMaximum, outputMaximumIn } from '@sluice/protocols/output-limit.ts'
import { namesPartOf, refersToStored } from '../call/missing-address.ts'
import type { UpstreamTarget } from '../route/routing.ts'
import type { CallRun } from './call-run.ts'
import type { Prepared } from './prepared.ts'

/** The maximum of the output that a refusal names because the limit that was sent is greater; undefined for others. */
export function maximumIn(
  { code, message, details }: GatewayError,
  { outputLimit }: Prepared,
): OutputMaximum | undefined {
  if (code !== 'upstream_rejected') return undefined
  const sent = outputLimit()
  const said = typeof details.cause === 'string' ? details.cause : message
  return sent === undefined ? undefined : outputMaximumIn(said, sent)
}

/** A request that was refused. */
interface Refused {
  readonly target: UpstreamTarget
  readonly prepared: Prepared
}

/**
 * Whether the upstream may lack this endpoint. A 404 for a path that contains the model name may mean that only the
 * model is missing, and one that names something in the request is about that.
 */
export function isMissingAddress(
  { details, message }: GatewayError,
  { call, route }: CallRun,
  { target, prepared }: Refused,
): boolean {
  const { missingAddress, upstreamStatus, cause } = details
  if (missingAddress === undefined) return false
  if (upstreamStatus === 405 || upstreamStatus === 501) return true
  if (prepared.request.path.split(/[/:?]/).includes(encodeURIComponent(target.model))) return false
  const said = typeof cause === 'string' ? cause : message
  const { request } = call
  const models = [target.model, route.model]
  return !namesPartOf({ models, quotes: (text) => request.quotes(text) }, said)
}

/** An address that the upstream may lack, with what it answered there. */
export interface Missing {
  readonly path: string
  /** The client format that has the address. */
  readonly format: FormatName
  readonly error: GatewayError
}

/**
 * Remembers that the upstream lacks the address of a format, unless the request refers to something stored, which may be what is
 * missing. For other callers only if the response proves it and the same request has worked in another form: each alone may be
 * about this request. A 404 may always be about the model, whatever it says.
 */
export function rememberLacking(
  { gateway, call }: CallRun,
  target: UpstreamTarget,
  { format, error, worksOtherwise }: Missing & { readonly worksOtherwise: boolean },
): void {
  if (refersToStored(call.request.value)) return
  const { baseUrl } = target.upstream
  const { missingAddress, upstreamStatus } = error.details
  const isProved = missingAddress === 'proved'
  gateway.health.setFormatLacking(
    { baseUrl, format, model: target.model, caller: call.key.id },
    {
      ofModels: isProved && upstreamStatus !== 404 ? 'all' : 'one',
      ofCallers: isProved && worksOtherwise ? 'all' : 'one',
    },
  )
}
