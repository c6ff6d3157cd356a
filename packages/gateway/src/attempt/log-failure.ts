import type { GatewayError } from '@sluice/contract'
import type { Target } from '../route/routing.ts'
import type { CallRun } from './call-run.ts'

export interface FailedAttempt {
  readonly target: Target
  /** Number of the attempt within the call, from 1. */
  readonly number: number
  readonly elapsedMs: number
}

/** Limits for texts chosen by others: model names by callers, codes and messages by upstreams. */
const nameMax = 200
const reasonMax = 1_000

const logged = new WeakSet<GatewayError>()

/** Whether an attempt has already logged the error, so that the end of the request does not log it again. */
export function isLogged(error: GatewayError): boolean {
  return logged.has(error)
}

/**
 * Logs one warning per failed attempt and returns the masked reason. Caller mistakes found by the gateway are not
 * logged. For those found by the upstream only status and code are logged, because the message may quote the request.
 */
export function logFailure(
  { gateway, call }: CallRun,
  { target, number, elapsedMs }: FailedAttempt,
  { error, shown }: { readonly error: GatewayError; readonly shown: GatewayError },
): string | undefined {
  if (error.blame === 'caller' && error.code !== 'upstream_rejected') return undefined
  // Internal errors are logged with their stack at the end of the request.
  if (error.code !== 'internal') logged.add(shown)
  const { concealer, log } = gateway
  const { upstreamStatus, upstreamCode } = error.details
  const { upstreamRequestId } = shown.details
  const said = error.blame === 'caller' ? refusal(target, error) : words(error)
  const reason = concealer.logged(said).slice(0, reasonMax)
  log.warn(
    {
      id: call.id,
      attempt: number,
      target: target.id.slice(0, nameMax),
      ...(upstreamStatus !== undefined && { status: upstreamStatus }),
      // For requests the upstream rejected, this is the upstream's own code.
      code: concealer.logged(error.publicCode ?? error.type).slice(0, nameMax),
      reason,
      ...(upstreamCode !== undefined && {
        upstreamCode: concealer.logged(upstreamCode).slice(0, nameMax),
      }),
      ...(upstreamRequestId !== undefined && { upstreamRequestId }),
      ms: elapsedMs,
    },
    'an attempt failed',
  )
  return reason
}

function refusal({ providerId }: Target, { details }: GatewayError): string {
  const status = details.upstreamStatus === undefined ? '' : ` (${details.upstreamStatus})`
  return `${providerId} refused the request${status}`
}

/** The message and its cause, in one line. */
function words({ message, details }: GatewayError): string {
  const cause = causeWords(details.cause)
  return cause === '' || message.includes(cause) ? message : `${message}: ${cause}`
}

function causeWords(cause: unknown): string {
  if (typeof cause === 'string') return cause
  if (!(cause instanceof Error)) return ''
  // V8's message for invalid JSON quotes the text, which may be a prompt or a response.
  if (cause instanceof SyntaxError) return cause.name
  // A connection refused by all addresses of a host is an AggregateError without a message.
  if (cause instanceof AggregateError && cause.message === '')
    return cause.errors.map(causeWords).join(', ')
  return cause.message
}
