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
          'auto (default): aliases are on while no provider is configured. always: aliases are always on. never: the built-in engine is off.',
        ),
      }),
    ),
    aliases: optional(
      mapOf(
        text('A built-in model, such as builtin-chat.'),
        'Well-known model names and the built-in model that answers for each. Replaces the default table.',
      ),
    ),
  },
  'The built-in engine, which answers without any provider.',
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
        'The same as maxConcurrent of its provider, for what comes by this route alone; all of them hold.',
      ),
    ),
    timeouts: optional(timeouts),
  },
  'One upstream model that can answer.',
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
      'The same for a route. Default: what its providers say; as a default of all routes it is that of all.',
    ),
  ),
  hedge: optional(
    object(
      {
        enabled: Type.Boolean(
          described('Whether a slow request is also sent to the next target. Default false.'),
        ),
        delayMs: optional(
          milliseconds('How long to wait for the first target. Default: learned from its latency.'),
        ),
        percentile: optional(
          Type.Number({
            exclusiveMinimum: 0,
            exclusiveMaximum: 100,
            ...described(
              'The percentile of recent time-to-first-token values that is used as delay. Default 95.',
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
        failures: optional(count('Number of failures that opens the breaker. Default 5.')),
        windowMs: optional(
          milliseconds('Time window in which the failures are counted. Default 30000.'),
        ),
        cooldownMs: optional(milliseconds('How long the target is tried last. Default 15000.')),
      },
      'Circuit breaker: a failing target is tried last for a while. Answers that break off count as well. Failures of one key alone open it for this key, those of several for all, each key counting for half of the number at most.',
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
          ...described('The upstream models that can answer.'),
        }),
        fallback: optional(
          listOf(
            text('A model name or provider/model.'),
            'Models to try in order when no target answers.',
          ),
        ),
        ...routeOptions,
      },
      'A route: several targets under one name.',
    ),
  ],
  described('A name for one model, or a route.'),
)

const key = object(
  {
    name: text('A name for the key, shown in lists and logs.'),
    key: text('The secret, preferably a reference such as ${TEAM_KEY}.'),
    models: optional(
      listOf(
        text('A model name, or provider/*.'),
        'The model names the key may use, as callers write them; their targets and fallbacks are included. Default: all models.',
      ),
    ),
    requestsPerMinute: optional(count('Requests per minute of this key.')),
    contentLogging: optional(
      Type.Boolean(
        described('Whether the prompts and answers of this key are kept, masked. Default false.'),
      ),
    ),
  },
  'An API key defined in the settings.',
)

const log = object(
  {
    level: optional(
      Type.Enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
        ...described('The least severe level that is logged. Default info.'),
      }),
    ),
    file: optional(text('The log file. Default: standard output.')),
  },
  'Logging.',
)

const usage = object(
  {
    keepDays: optional(
      count(
        'How many days the record of each call is kept. The sums of usage by hour, day and month stay. Default: for ever.',
      ),
    ),
  },
  'What is kept of usage.',
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
    providers: optional(mapOf(provider, 'Upstream providers by name.')),
    models: optional(mapOf(model, 'Model names of your own: aliases and routes.')),
    unsupported: optional(
      unsupported(
        'What happens to a field that a target cannot express. hints (default): what only advises (sampling, effort, verbosity, user, metadata, cache_control …) is left out and named in x-sluice-dropped; what changes the meaning of the answer (tools, schemas, n, stop, logprobs, pictures …) refuses the request. refuse: every such field refuses it. report: every such field is left out and named. The header x-sluice-unsupported of a call wins over a route, a route over a provider.',
      ),
    ),
    prices: optional(prices),
    usage: optional(usage),
    defaults: optional(object(routeOptions, 'Default options of all routes.')),
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
      'The settings of a Sluice gateway. Strings may contain ${NAME} or ${NAME:-default}, filled in from the environment.',
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
