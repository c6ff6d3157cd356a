import type { GatewayError } from '@sluice/contract'
import type { Target } from '../route/routing.ts'
import type { Run } from '../run/run.ts'

/** An attempt whose answer had begun when it failed. */
interface Broken {
  readonly target: Target
  /** The provider's key that it was made with; undefined for engines. */
  readonly secret: string | undefined
  /** How long its reader did not take what came. */
  readonly heldMs: number
}

/** Upstreams and the ways to them close a connection that is not read; so an answer held back for longer proves nothing. */
const slowReaderMs = 1_000

/**
 * What an answer that broke off says of its target and key; failures before that are judged by `retry` and `askUpstream`,
 * who try again. Nothing where its caller has left, read slowly or asked for something wrong.
 */
export function judgeBroken(
  { gateway: { health }, call, route }: Run,
  { target, secret, heldMs }: Broken,
  error: GatewayError,
): void {
  const { blame, code, details } = error
  if (code === 'upstream_refused_us' && secret !== undefined && details.upstreamStatus !== 403) {
    const { providerId: provider, model } = target
    health.keyRefused({ provider, model, caller: call.key.id }, secret, 'unknown')
  }
  if (blame === 'upstream' && heldMs < slowReaderMs)
    health.failed(target.id, call.key.id, route.options.breaker)
}
