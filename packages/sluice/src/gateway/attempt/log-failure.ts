import type { GatewayError } from '@sluice/contract'
import type { Target } from '../route/routing.ts'
import type { Run } from '../run/run.ts'

export interface FailedAttempt {
  readonly target: Target
  /** The number over the whole call, from 1. */
  readonly number: number
  readonly elapsedMs: number
}

/** Callers choose the model's name, and upstreams their codes and messages. */
const nameMax = 200
const reasonMax = 1_000

const logged = new WeakSet<GatewayError>()

/** Whether an attempt has logged it, so that the end of its request need not. */
export function isLogged(error: GatewayError): boolean {
  return logged.has(error)
}

/**
 * One warning per failed attempt; returns why it failed, as it may be written down. Nothing is said of a mistake that is the caller's alone and was found here; of one
 * that the upstream found, its status and code are told but not its words, which quote what the caller wrote.
 */
export function logFailure(
  { gateway, call }: Run,
  { target, number, elapsedMs }: FailedAttempt,
  { error, shown }: { readonly error: GatewayError; readonly shown: GatewayError },
): string | undefined {
  if (error.blame === 'caller' && error.code !== 'upstream_rejected') return undefined
  // A mistake of this program is told with its stack at the end of the request.
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
      // Of what an upstream refused, it is the upstream's own word.
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

/** The message and what caused it, in one line. */
function words({ message, details }: GatewayError): string {
  const cause = causeWords(details.cause)
  return cause === '' || message.includes(cause) ? message : `${message}: ${cause}`
}

function causeWords(cause: unknown): string {
  if (typeof cause === 'string') return cause
  if (!(cause instanceof Error)) return ''
  // The engine's own words of broken JSON quote the text, which is an answer or a prompt.
  if (cause instanceof SyntaxError) return cause.name
  // A refused connection to several addresses of one name has no message of its own.
  if (cause instanceof AggregateError && cause.message === '')
    return cause.errors.map(causeWords).join(', ')
  return cause.message
}
