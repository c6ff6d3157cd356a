import type { GatewayError } from '@sluice/contract'
import type { Target } from '../route/routing.ts'
import type { CallRun } from './call-run.ts'

/** An attempt whose answer had begun when it failed. */
interface Broken {
  readonly target: Target
  /** The provider key in use; undefined for engines. */
  readonly secret: string | undefined
  /** How long the reader was paused, in milliseconds. */
  readonly heldMs: number
}

/**
 * Upstreams and proxies close connections that are not read, so a failure after a longer pause says nothing about the
 * target.
 */
const slowReaderMs = 1_000

/**
 * Records a broken response against its target and key. Failures before the response begins are handled by `retry`
 * and `askUpstream`. Nothing is recorded if the caller disconnected, read slowly or sent an invalid request.
 */
export function judgeBroken(
  { gateway: { health }, call, route }: CallRun,
  { target, secret, heldMs }: Broken,
  error: GatewayError,
): void {
  const { blame, code, details } = error
  if (code === 'upstream_refused_us' && secret !== undefined && details.upstreamStatus !== 403) {
    const { providerId: provider, model } = target
    health.keys.keyRefused({ provider, model, caller: call.key.id }, secret, 'unknown')
  }
  if (blame === 'upstream' && heldMs < slowReaderMs)
    health.failed(target.id, call.key.id, route.options.breaker)
}
