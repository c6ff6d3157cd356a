import { Type } from '@sluice/contract'
import type { Static } from 'typebox'
import {
  count,
  described,
  listOf,
  mapOf,
  milliseconds,
  object,
  optional,
  text,
} from './schema-parts.ts'
import { timeouts, unsupported } from './schema-provider.ts'

const target = object(
  {
    target: Type.String({ pattern: '^[^/\\s]+/.+$', ...described('provider/model') }),
    weight: optional(
      Type.Number({
        exclusiveMinimum: 0,
        ...described('Relative share of requests among targets of the same priority. Default 1.'),
      }),
    ),
    priority: optional(
      Type.Integer({
        minimum: 0,
        ...described('Targets with a lower number are tried first. Default 0.'),
      }),
    ),
    maxConcurrent: optional(
      count(
        'Maximum number of concurrent requests to this target through this route. The limits of its provider and model also apply.',
      ),
    ),
    timeouts: optional(timeouts),
  },
  'One upstream model of the route.',
)

export const routeOptions = {
  retries: optional(
    object(
      {
        attempts: optional(
          Type.Integer({
            minimum: 1,
            maximum: 10,
            ...described('Attempts per target, including the first. Default 2.'),
          }),
        ),
        baseMs: optional(milliseconds('Delay before the first retry, before jitter.')),
        maxMs: optional(milliseconds('Maximum delay between retries.')),
      },
      'Retries at the same target.',
    ),
  ),
  unsupported: optional(
    unsupported(
      'The unsupported setting of a route. Default: that of each provider; under defaults: the global setting.',
    ),
  ),
  hedge: optional(
    object(
      {
        enabled: Type.Boolean(
          described('Whether a slow request is also sent to the next target. Default false.'),
        ),
        delayMs: optional(
          milliseconds(
            'Delay before the second request. Default: derived from the latency of the first target.',
          ),
        ),
        percentile: optional(
          Type.Number({
            exclusiveMinimum: 0,
            exclusiveMaximum: 100,
            ...described(
              'The percentile of recent times to first token that is used as the delay. Default 95.',
            ),
          }),
        ),
      },
      'Hedging: a second target when the first is slow.',
    ),
  ),
  sticky: optional(
    Type.Boolean(
      described(
        'Whether prompts with the same prefix go to the same target, to use its prompt cache. Default false.',
      ),
    ),
  ),
  strategy: optional(
    Type.Enum(['weighted', 'latency'], {
      ...described(
        'How to choose among targets of the same priority: by weight (default) or by recent latency.',
      ),
    }),
  ),
  timeouts: optional(timeouts),
  breaker: optional(
    object(
      {
        failures: optional(count('Number of failures that open the breaker. Default 5.')),
        windowMs: optional(
          milliseconds('Time window in which the failures are counted. Default 30000.'),
        ),
        cooldownMs: optional(milliseconds('How long the target is tried last. Default 15000.')),
      },
      'Circuit breaker: a failing target is tried last for a while. Interrupted responses count as failures. Failures for a single caller’s key open the breaker only for that key. Failures for several keys open it for all; each key counts for at most half of the threshold.',
    ),
  ),
}

export const model = Type.Union(
  [
    Type.String({ pattern: '^[^/\\s]+/.+$', ...described('An alias: provider/model.') }),
    object(
      {
        targets: Type.Array(target, {
          minItems: 1,
          ...described('The upstream models of the route.'),
        }),
        fallback: optional(
          listOf(
            text('A model name or provider/model.'),
            'Models to try in order when all targets fail.',
          ),
        ),
        ...routeOptions,
      },
      'A route: several targets under one name.',
    ),
  ],
  described('An alias for one model, or a route.'),
)

export type RouteConfig = Exclude<Static<typeof model>, string>
export type RouteOptions = Omit<RouteConfig, 'targets' | 'fallback'>

export const builtin = object(
  {
    enabled: optional(
      Type.Enum(['auto', 'always', 'never'], {
        ...described(
          'auto (default): aliases are enabled while no provider is configured. always: aliases are always enabled. never: the built-in engine is off.',
        ),
      }),
    ),
    aliases: optional(
      mapOf(
        text('A built-in model, such as builtin-chat.'),
        'Well-known model names, each with the built-in model that serves it. Replaces the default table.',
      ),
    ),
  },
  'The built-in engine, which needs no provider.',
)
