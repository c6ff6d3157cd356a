import { Type } from '@sluice/contract'
import type { Static } from 'typebox'
import { databaseUrlPattern } from './database-url.ts'
import { alerts } from './schema-alerts.ts'
import { consoleSettings } from './schema-console.ts'
import { jwt } from './schema-jwt.ts'
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
import { prices } from './schema-prices.ts'
import { provider, timeouts, unsupported } from './schema-provider.ts'
import { limits, redis, server } from './schema-server.ts'
import { contentLogging, telemetry } from './schema-telemetry.ts'

// The schema of sluice.yaml, published as sluice.schema.json. Editors show the descriptions. Unknown names are refused, so
// that typos are noticed.

const builtin = object(
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

const storage = object(
  {
    url: optional(
      Type.String({
        pattern: databaseUrlPattern.source,
        ...described(
          'A PostgreSQL database, such as postgres://user:${DATABASE_PASSWORD}@host/sluice, which several gateways may share. DATABASE_URL takes precedence. Default: a SQLite file in the data folder. A change takes effect at the next start.',
        ),
      }),
    ),
  },
  'Where keys, usage, video tasks and responses are stored.',
)

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

const routeOptions = {
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

const model = Type.Union(
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

const key = object(
  {
    name: text('A name for the key, shown in lists and logs.'),
    key: text('The secret, preferably a reference such as ${TEAM_KEY}.'),
    models: optional(
      listOf(
        text('A model name, or provider/*.'),
        'The model names that the key may use, as callers write them, including their targets and fallbacks. Default: all models.',
      ),
    ),
    requestsPerMinute: optional(count('Requests per minute of this key.')),
    contentLogging: optional(
      Type.Boolean(
        described(
          'Whether the prompts and responses of this key are stored, masked. Default false.',
        ),
      ),
    ),
  },
  'An API key defined in the settings.',
)

const log = object(
  {
    level: optional(
      Type.Enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
        ...described('The lowest level that is logged. Default info.'),
      }),
    ),
    file: optional(text('The log file. Default: standard output.')),
  },
  'Logging.',
)

const media = object(
  {
    proxyResolves: optional(
      Type.Boolean(
        described(
          'Whether a forward proxy may resolve the host names of files that requests and providers refer to. Default false: the gateway resolves them, refuses private addresses, and asks the proxy for the address. true: for networks in which only the proxy can resolve names; then the proxy must refuse private addresses.',
        ),
      ),
    ),
  },
  'Files that requests and providers refer to by URL.',
)

const usage = object(
  {
    keepDays: optional(
      count(
        'How many days usage records are kept. The sums by hour, day and month are kept indefinitely. Default: no limit.',
      ),
    ),
  },
  'Retention of usage records.',
)

/** All of sluice.yaml; every part is optional. */
export const configFileSchema = Type.Object(
  {
    server: optional(server),
    limits: optional(limits),
    redis: optional(redis),
    alerts: optional(alerts),
    builtin: optional(builtin),
    storage: optional(storage),
    media: optional(media),
    providers: optional(mapOf(provider, 'Upstream providers by name.')),
    models: optional(mapOf(model, 'Custom model names: aliases and routes.')),
    unsupported: optional(
      unsupported(
        'How to handle fields that a target cannot express. hints (default): hints (sampling, effort, verbosity, user, metadata, cache_control …) are dropped and named in x-sluice-dropped; a field that changes the meaning of the response (tools, schemas, n, stop, logprobs, images …) causes the request to be refused. refuse: every such field causes the request to be refused. report: all such fields are dropped and named. The request header x-sluice-unsupported overrides the route, and a route overrides the provider.',
      ),
    ),
    prices: optional(prices),
    usage: optional(usage),
    defaults: optional(object(routeOptions, 'Default options for all routes.')),
    keys: optional(listOf(key, 'API keys defined in the settings.')),
    jwt: optional(jwt),
    console: optional(consoleSettings),
    log: optional(log),
    telemetry: optional(telemetry),
    contentLogging: optional(contentLogging),
  },
  {
    additionalProperties: false,
    title: 'sluice.yaml',
    description:
      'The settings of a Sluice gateway. Strings may contain ${NAME} or ${NAME:-default}, which are replaced from the environment.',
  },
)

export type ConfigFile = Static<typeof configFileSchema>
export type ProviderConfig = Static<typeof provider>
export type RouteConfig = Exclude<Static<typeof model>, string>
export type RouteOptions = Omit<RouteConfig, 'targets' | 'fallback'>
export type KeyConfig = Static<typeof key>
export type JwtConfig = Static<typeof jwt>[number]

/** The published JSON Schema (draft 2020-12) as text. */
export function publishedSchema(): string {
  const document = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    ...configFileSchema,
  }
  return `${JSON.stringify(document, null, 2)}\n`
}
