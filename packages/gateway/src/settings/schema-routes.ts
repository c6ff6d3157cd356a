import { DefaultParameters, Type } from '@sluice/contract'
import type { Static } from 'typebox'
import {
  choice,
  count,
  flag,
  integer,
  listOf,
  mapOf,
  matching,
  milliseconds,
  number,
  object,
  options,
  text,
} from './schema-parts.ts'
import { timeouts, unsupported } from './schema-provider.ts'

const target = object(
  {
    target: matching('^[^/\\s]+/.+$', 'provider/model'),
    ...options({
      weight: number(
        { exclusiveMinimum: 0 },
        'Relative share of requests among targets of the same priority. Default 1.',
      ),
      priority: integer({ minimum: 0 }, 'Targets with a lower number are tried first. Default 0.'),
      maxConcurrent: count(
        'Maximum number of concurrent requests to this target through this route. The limits of its provider and model also apply.',
      ),
      requestsPerMinute: count(
        'Requests per minute to this target through this route, of the whole gateway: all workers, and all replicas that share Redis. At its limit the target is passed over; if no other is left, a call waits or gets 429 with Retry-After. Default: no limit.',
      ),
      tokensPerMinute: count(
        'The same for tokens, input and output together. They are reserved by an estimate and settled with what the response reports; a call that may use more than the limit takes all of it.',
      ),
      timeouts,
    }).properties,
  },
  'One upstream model of the route.',
)

export const routeOptions = options(
  {
    retries: options(
      {
        attempts: integer(
          { minimum: 1, maximum: 10 },
          'Attempts per target, including the first. Default 2.',
        ),
        baseMs: milliseconds('Delay before the first retry, before jitter.'),
        maxMs: milliseconds('Maximum delay between retries.'),
      },
      'Retries at the same target.',
    ),
    unsupported: unsupported(
      'The unsupported setting of a route. Default: that of each provider; under defaults: the global setting.',
    ),
    hedge: object(
      {
        enabled: flag('Whether a slow request is also sent to the next target. Default false.'),
        ...options({
          delayMs: milliseconds(
            'Delay before the second request. Default: derived from the latency of the first target.',
          ),
          percentile: number(
            { exclusiveMinimum: 0, exclusiveMaximum: 100 },
            'The percentile of recent times to first token that is used as the delay. Default 95.',
          ),
        }).properties,
      },
      'Hedging: a second target when the first is slow.',
    ),
    sticky: flag(
      'Whether prompts with the same prefix go to the same target and key, to use its prompt cache. Default false.',
    ),
    strategy: choice(
      ['weighted', 'latency'],
      'How to choose among targets of the same priority: by weight (default) or by recent latency.',
    ),
    choose: choice(
      ['weight', 'least-busy', 'least-used'],
      'Instead of strategy: by weight (default); the target with the fewest calls in progress for its weight; or the one with the fewest tokens in the current minute for its tokensPerMinute, or for its weight where not all have such a limit. Each process counts its own calls.',
    ),
    timeouts,
    breaker: options(
      {
        failures: count('Number of failures that open the breaker. Default 5.'),
        windowMs: milliseconds('Time window in which the failures are counted. Default 30000.'),
        cooldownMs: milliseconds('How long the target is tried last. Default 15000.'),
      },
      'Circuit breaker: a failing target is tried last for a while. Interrupted responses count as failures. Failures for a single caller’s key open the breaker only for that key. Failures for several keys open it for all; each key counts for at most half of the threshold.',
    ),
  },
  'Default options for all routes.',
)

export const model = Type.Union(
  [
    matching('^[^/\\s]+/.+$', 'An alias: provider/model.'),
    object(
      {
        targets: listOf(
          Type.Union([matching('^[^/\\s]+/.+$', 'provider/model'), target], {
            description: 'A target: provider/model, or with its options.',
          }),
          'The upstream models of the route.',
          { minItems: 1 },
        ),
        ...options({
          fallback: listOf(
            text('A model name or provider/model.'),
            'Models to try in order when all targets fail.',
          ),
          longer: listOf(
            text('A model name or provider/model.'),
            'Models to try in order for prompts that do not fit the context of the targets: as the limits known here tell, or as a target says in its refusal. Only for keys that may use them. Default: none.',
          ),
          defaults: DefaultParameters,
        }).properties,
        ...routeOptions.properties,
      },
      'A route: several targets under one name.',
    ),
  ],
  { description: 'An alias for one model, or a route.' },
)

type WrittenRoute = Exclude<Static<typeof model>, string>

/** A route in which every target has its options. */
export interface RouteConfig extends Omit<WrittenRoute, 'targets'> {
  readonly targets: readonly Static<typeof target>[]
}

export type WrittenModel = Static<typeof model>
export type RouteOptions = Omit<RouteConfig, 'targets' | 'fallback' | 'longer' | 'defaults'>

export const builtin = options(
  {
    enabled: choice(
      ['auto', 'always', 'never'],
      'auto (default): aliases are enabled while no provider is configured. always: aliases are always enabled. never: the built-in engine is off.',
    ),
    aliases: mapOf(
      text('A built-in model, such as builtin-chat.'),
      'Well-known model names, each with the built-in model that serves it. Replaces the default table and the families of names.',
    ),
  },
  'The built-in engine, which needs no provider.',
)
