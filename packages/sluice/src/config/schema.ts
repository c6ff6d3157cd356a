import { Type } from '@sluice/contract'
import type { Static } from 'typebox'
import { databaseUrlPattern } from './database-url.ts'
import { alerts } from './schema-alerts.ts'
import { consoleSettings } from '@sluice/gateway/settings/schema-console.ts'
import { jwt } from '@sluice/gateway/settings/schema-jwt.ts'
import {
  choice,
  count,
  listOf,
  mapOf,
  matching,
  options,
  text,
} from '@sluice/gateway/settings/schema-parts.ts'
import { prices } from '@sluice/gateway/settings/schema-prices.ts'
import { provider, unsupported } from '@sluice/gateway/settings/schema-provider.ts'
import { builtin, model, routeOptions } from '@sluice/gateway/settings/schema-routes.ts'
import { key, limits, media, redis, server } from '@sluice/gateway/settings/schema-server.ts'
import { contentLogging, telemetry } from './schema-telemetry.ts'

// The schema of sluice.yaml, published as sluice.schema.json. Editors show the descriptions. Unknown names are refused, so
// that typos are noticed.

const storage = options(
  {
    url: matching(
      databaseUrlPattern.source,
      'A PostgreSQL database, such as postgres://user:${DATABASE_PASSWORD}@host/sluice, which several gateways may share. DATABASE_URL takes precedence. Default: a SQLite file in the data folder. A change takes effect at the next start.',
    ),
  },
  'Where keys, usage, video tasks and responses are stored.',
)

const log = options(
  {
    level: choice(
      ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
      'The lowest level that is logged. Default info.',
    ),
    file: text('The log file. Default: standard output.'),
  },
  'Logging.',
)

const usage = options(
  {
    keepDays: count(
      'How many days usage records are kept. The sums by hour, day and month are kept indefinitely. Default: no limit.',
    ),
  },
  'Retention of usage records.',
)

/** All of sluice.yaml; every part is optional. */
export const configFileSchema = Type.Partial(
  Type.Object({
    server,
    limits,
    redis,
    alerts,
    builtin,
    storage,
    media,
    providers: mapOf(provider, 'Upstream providers by name.'),
    models: mapOf(
      model,
      'Custom model names: aliases and routes. A name may have one *, which its targets have, too: { "fast/*": "groq/*" }. Exact names win, then the longest beginning.',
    ),
    defaultModel: text(
      'The model of chat and text completion requests that name none, or one that nothing here knows. Keys that may not use it get the error instead. Default: none.',
    ),
    unsupported: unsupported(
      'How to handle fields that a target cannot express. hints (default): hints (sampling, effort, verbosity, user, metadata, cache_control …) are dropped and named in x-sluice-dropped; a field that changes the meaning of the response (tools, schemas, n, stop, logprobs, images …) causes the request to be refused. refuse: every such field causes the request to be refused. report: all such fields are dropped and named. The request header x-sluice-unsupported overrides the route, and a route overrides the provider.',
    ),
    prices,
    usage,
    defaults: routeOptions,
    keys: listOf(key, 'API keys defined in the settings.'),
    jwt,
    console: consoleSettings,
    log,
    telemetry,
    contentLogging,
  }),
  {
    additionalProperties: false,
    title: 'sluice.yaml',
    description:
      'The settings of a Sluice gateway. Strings may contain ${NAME} or ${NAME:-default}, which are replaced from the environment.',
  },
)

export type ConfigFile = Static<typeof configFileSchema>

/** The published JSON Schema (draft 2020-12) as text. */
export function publishedSchema(): string {
  const document = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    ...configFileSchema,
  }
  return `${JSON.stringify(document, null, 2)}\n`
}
