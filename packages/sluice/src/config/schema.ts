import type { Static, TObject, TProperties, TSchema } from 'typebox'
import { Type } from '@sluice/contract'
import { databaseUrlPattern } from './database-url.ts'

// The schema of sluice.yaml. Its JSON form is published as sluice.schema.json, so every description here is read in
// editors; a name that is not listed is refused, so that a slip of the pen is noticed.

const described = (description: string) => ({ description })

function object<P extends TProperties>(properties: P, description: string): TObject<P> {
  return Type.Object(properties, { additionalProperties: false, description })
}

const optional = Type.Optional
const text = (description: string) => Type.String({ minLength: 1, description })
const count = (description: string, minimum = 1) => Type.Integer({ minimum, description })
const milliseconds = (description: string) =>
  Type.Integer({ minimum: 1, maximum: 86_400_000, description: `${description} In milliseconds.` })
const listOf = <T extends TSchema>(item: T, description: string) =>
  Type.Array(item, { description })
const mapOf = <T extends TSchema>(value: T, description: string) =>
  Type.Record(Type.String(), value, { description })

const server = object(
  {
    host: optional(text('The address to listen on. Default 127.0.0.1.')),
    port: optional(
      Type.Integer({
        minimum: 0,
        maximum: 65_535,
        ...described('The port; 0 takes a free one. Default 8080.'),
      }),
    ),
    publicUrl: optional(
      Type.String({
        pattern: '^https?://[^\\s]+$',
        ...described(
          'How callers reach the gateway, for links in answers. Default: the address it was called at.',
        ),
      }),
    ),
    bodyLimitBytes: optional(
      count('The largest request body, after decompression. Default 134217728 (128 MiB).'),
    ),
    requestTimeoutMs: optional(
      milliseconds('How long a request may take to arrive. Default 120000.'),
    ),
    allowPrivateMedia: optional(
      Type.Boolean(
        described(
          'Whether media links in requests may lead to private addresses. Default false: they are refused.',
        ),
      ),
    ),
  },
  'Where and how the gateway listens.',
)

const limits = object(
  {
    requestsPerMinute: optional(
      count('Requests per minute of a key that names no rate. Default: no limit.'),
    ),
    concurrentRequests: optional(
      count('Requests being answered at the same time, all keys together. Default: no limit.'),
    ),
  },
  'Limits that hold unless a key has its own.',
)

const builtin = object(
  {
    enabled: optional(
      Type.Enum(['auto', 'always', 'never'], {
        ...described(
          'auto (default): the aliases are on while no other provider is configured. always: they stay on. never: the built-in engine is off.',
        ),
      }),
    ),
    aliases: optional(
      mapOf(
        text('A built-in model, such as builtin-chat.'),
        'Well-known names and the built-in model that answers to each; replaces the whole default table.',
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
          'A PostgreSQL database, such as postgres://user:${DATABASE_PASSWORD}@host/sluice, which several gateways may share. DATABASE_URL wins. Default: a SQLite file in the data folder. Taken up at the next start.',
        ),
      }),
    ),
  },
  'Where keys, usage, video tasks and responses are kept.',
)

const timeouts = object(
  {
    connectMs: optional(milliseconds('To connect to the upstream.')),
    headersMs: optional(milliseconds('From the request to the head of the answer.')),
    firstTokenMs: optional(milliseconds('From the request to the first streamed content.')),
    idleMs: optional(milliseconds('Between two pieces of a stream.')),
    totalMs: optional(milliseconds('For the whole answer.')),
  },
  'How long to wait for an upstream.',
)

const providerType = Type.Enum(
  [
    'openai',
    'anthropic',
    'gemini',
    'bedrock',
    'cohere',
    'jina',
    'voyage',
    'dashscope',
    'azure',
    'vertex',
    'deepgram',
    'elevenlabs',
    'ai-sdk',
  ],
  described('The protocol of a provider that is not in the catalogue.'),
)

const providerModel = Type.Union(
  [
    text('A model id, the same here and upstream.'),
    object(
      {
        id: text('The name callers use.'),
        upstream: optional(text('The name the upstream knows. Default: the id.')),
        inputTokenLimit: optional(count('The most input tokens.')),
        outputTokenLimit: optional(count('The most output tokens.')),
        operations: optional(
          listOf(
            text('An operation, such as chat or embed.'),
            'What the model can do. Default: all its provider offers.',
          ),
        ),
      },
      'A model and what is known of it.',
    ),
  ],
  described('A model id, or a model with more about it.'),
)

const provider = object(
  {
    kind: optional(
      text(
        'The entry of the catalogue this one is made from, such as openai. Default: the name of the provider.',
      ),
    ),
    type: optional(providerType),
    baseUrl: optional(
      Type.String({
        pattern: '^https?://[^\\s]+$',
        ...described('Where it is. Default: what the catalogue says.'),
      }),
    ),
    key: optional(text('The key, best as a reference: ${ACME_API_KEY}.')),
    keys: optional(
      Type.Array(text('A key.'), {
        minItems: 1,
        ...described('Several keys, used in turn; a refused one is set aside.'),
      }),
    ),
    headers: optional(mapOf(Type.String(), 'Headers to send with every request.')),
    models: optional(listOf(providerModel, 'Its models. Default: what it lists.')),
    enabled: optional(
      Type.Boolean(
        described(
          'Default true. false turns a known provider off though its key is in the environment.',
        ),
      ),
    ),
    region: optional(text('The cloud region.')),
    project: optional(text('The cloud project.')),
    location: optional(text('The location of the project.')),
    resource: optional(text('The name of the resource in its address.')),
    apiVersion: optional(text('The version of the API.')),
    package: optional(
      text('For type ai-sdk: the installed provider package, such as @ai-sdk/mistral.'),
    ),
    timeouts: optional(timeouts),
  },
  'An upstream: one of the catalogue by its name, or any other by type and baseUrl.',
)

const target = object(
  {
    target: Type.String({ pattern: '^[^/\\s]+/.+$', ...described('provider/model') }),
    weight: optional(
      Type.Number({
        exclusiveMinimum: 0,
        ...described('Its share among targets of the same priority. Default 1.'),
      }),
    ),
    priority: optional(Type.Integer({ minimum: 0, ...described('Lower comes first. Default 0.') })),
    timeouts: optional(timeouts),
  },
  'One place where the model is.',
)

const routeOptions = {
  retries: optional(
    object(
      {
        attempts: optional(
          Type.Integer({
            minimum: 1,
            maximum: 10,
            ...described('Tries at one target, the first included. Default 2.'),
          }),
        ),
        baseMs: optional(milliseconds('The first wait, before jitter.')),
        maxMs: optional(milliseconds('The longest wait.')),
      },
      'When to try the same target again.',
    ),
  ),
  unsupported: optional(
    Type.Enum(['refuse', 'report'], {
      ...described(
        'What happens to a field the upstream cannot express. refuse (default): the request is. report: the field is left out and named in x-sluice-dropped.',
      ),
    }),
  ),
  hedge: optional(
    object(
      {
        enabled: Type.Boolean(
          described('Whether a second target is started when the first is slow. Default false.'),
        ),
        delayMs: optional(milliseconds('How long the first one has. Default: learned.')),
        percentile: optional(
          Type.Number({
            exclusiveMinimum: 0,
            exclusiveMaximum: 100,
            ...described(
              'The percentile of earlier first tokens from which the delay is learned. Default 95.',
            ),
          }),
        ),
      },
      'A second target when the first is slow.',
    ),
  ),
  sticky: optional(
    Type.Boolean(
      described(
        'Whether the same beginning of a prompt goes to the same target, so that its cache stays warm. Default false.',
      ),
    ),
  ),
  strategy: optional(
    Type.Enum(['weighted', 'latency'], {
      ...described(
        'How equals are chosen: by weight (default) or by how quickly they answered lately.',
      ),
    }),
  ),
  timeouts: optional(timeouts),
  breaker: optional(
    object(
      {
        failures: optional(count('So many failures …')),
        windowMs: optional(milliseconds('… within this time …')),
        cooldownMs: optional(milliseconds('… keep a target out for so long.')),
      },
      'When a failing target is left alone for a while.',
    ),
  ),
}

const model = Type.Union(
  [
    Type.String({ pattern: '^[^/\\s]+/.+$', ...described('An alias: provider/model.') }),
    object(
      {
        targets: Type.Array(target, { minItems: 1, ...described('Where the model is.') }),
        fallback: optional(
          listOf(
            text('A model name or provider/model.'),
            'What to try in order when no target answers.',
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
    name: text('For people.'),
    key: text('The secret, best as a reference: ${TEAM_KEY}.'),
    models: optional(
      listOf(
        text('A model name, or provider/*.'),
        'What the key may use, by the names that callers write; the targets and fallbacks of such a name come with it. Default: everything.',
      ),
    ),
    requestsPerMinute: optional(count('Its own rate.')),
  },
  'A key known in advance.',
)

const log = object(
  {
    level: optional(
      Type.Enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
        ...described('Default info.'),
      }),
    ),
    file: optional(text('Where to write. Default: standard output.')),
  },
  'What is logged, and where.',
)

/** The whole of sluice.yaml; every part is optional. */
export const configFileSchema = Type.Object(
  {
    server: optional(server),
    limits: optional(limits),
    builtin: optional(builtin),
    storage: optional(storage),
    providers: optional(mapOf(provider, 'Upstreams by their names.')),
    models: optional(mapOf(model, 'Model names of your own: aliases and routes.')),
    defaults: optional(object(routeOptions, 'What routes do unless they say otherwise.')),
    keys: optional(listOf(key, 'Keys known in advance.')),
    log: optional(log),
  },
  {
    additionalProperties: false,
    title: 'sluice.yaml',
    description:
      'The settings of a Sluice gateway. Text may hold ${NAME} or ${NAME:-default} from the environment.',
  },
)

export type ConfigFile = Static<typeof configFileSchema>
export type ProviderConfig = Static<typeof provider>
export type RouteConfig = Exclude<Static<typeof model>, string>
export type RouteOptions = Omit<RouteConfig, 'targets' | 'fallback'>
export type KeyConfig = Static<typeof key>

/** The published JSON Schema (draft 2020-12), as text. */
export function publishedSchema(): string {
  const document = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    ...configFileSchema,
  }
  return `${JSON.stringify(document, null, 2)}\n`
}
