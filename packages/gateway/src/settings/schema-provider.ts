import { Type } from '@sluice/contract'
import type { Static } from 'typebox'
import { proxyPattern } from './proxy-variables.ts'
import {
  choice,
  count,
  flag,
  integer,
  listOf,
  mapOf,
  matching,
  milliseconds,
  object,
  options,
  text,
} from './schema-parts.ts'
import { unsupportedModes } from './unsupported-mode.ts'

export const timeouts = options(
  {
    connectMs: milliseconds('Time to connect to the upstream.'),
    headersMs: milliseconds('Time from the request to the response headers.'),
    firstTokenMs: milliseconds('Time from the request to the first streamed token.'),
    idleMs: milliseconds('Time between two chunks of a stream.'),
    totalMs: milliseconds('Time for the whole response.'),
  },
  'Timeouts for upstream requests.',
)

export const unsupported = (description: string) => choice(unsupportedModes, description)

const providerType = choice(
  [
    'openai',
    'openai-responses',
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
  'The protocol of a provider that is not in the catalog.',
)

const providerModel = Type.Union(
  [
    text('A model id, the same for callers and at the upstream.'),
    object(
      {
        id: text('The name that callers use.'),
        ...options({
          upstream: text('The name of the model at the upstream. Default: the id.'),
          family: text(
            'The name of the model whose rules apply to it, such as gpt-5.4 or claude-sonnet-5-5, if neither its id nor its name at the upstream shows it. The rules are supported fields and limits.',
          ),
          pricedAs: text(
            'The name under which its price is looked up. Default: the name at the upstream, or the id where that is the name of a deployment or an inference profile.',
          ),
          inputTokenLimit: count('Maximum number of input tokens.'),
          outputTokenLimit: count('Maximum number of output tokens.'),
          maxConcurrent: count(
            'Maximum number of concurrent requests to this model. The limit of the provider also applies.',
          ),
          operations: listOf(
            text('An operation, such as chat or embed.'),
            'Supported operations. Default: all that the provider supports.',
          ),
        }).properties,
      },
      'A model with its properties.',
    ),
  ],
  { description: 'A model id, or a model with its properties.' },
)

export const provider = options(
  {
    kind: text(
      'The provider of the catalog to start from, such as openai. Default: the name of this provider.',
    ),
    type: providerType,
    baseUrl: matching(
      '^https?://[^\\s]+$',
      'The base URL of the API. Default: that of the catalog.',
    ),
    key: text('The API key, preferably a reference such as ${ACME_API_KEY}.'),
    keys: listOf(
      text('An API key.'),
      'Several API keys, used in turn; a refused key is not used for a while.',
      { minItems: 1 },
    ),
    headers: mapOf(Type.String(), 'Additional headers for every request.'),
    proxy: matching(
      `${proxyPattern}|^none$`,
      'The URL of a forward proxy for this provider, such as http://user:password@proxy:3128 (http, https or socks5), or none. Default: that of HTTPS_PROXY or HTTP_PROXY, except for loopback addresses and the hosts in NO_PROXY.',
    ),
    ca: text(
      'The certificates of authorities that the provider’s server certificate may come from, instead of the usual ones: PEM, or the path of a file.',
    ),
    certificate: text(
      'The client certificate with which the gateway identifies itself, with its chain: PEM, or the path of a file. Needs certificateKey.',
    ),
    certificateKey: text('The private key of the client certificate: PEM, or the path of a file.'),
    http2: flag(
      'Whether HTTP/2 is spoken if the server chooses it. Default false: HTTP/1.1, which costs less and tells a response without a length that was cut from one that is complete. true: for servers that speak nothing else.',
    ),
    models: listOf(
      providerModel,
      'The models of the provider. Default: the list that the provider returns.',
    ),
    sharedIds: choice(
      ['refuse', 'allow'],
      'How to handle ids of conversations, prompts, files, containers, skills, cached contents, vector stores, responses and items in a request that this gateway did not give to the same API key, including all files uploaded elsewhere. refuse (default): 400. allow: they are sent to the provider, whose account all API keys share, unless they belong to another key or were deleted.',
    ),
    routingFields: choice(
      ['refuse', 'allow'],
      'How to handle fields by which the provider itself chooses a model, a fallback or a price, such as models, route, preset or provider, in requests of keys with limited models or a budget. refuse (default): 403. allow: they are sent. Other keys may always send them.',
    ),
    maxConcurrent: count(
      'Maximum number of concurrent requests of one gateway, including all of its workers, to this provider. Further requests wait, and keys take turns; one key may hold all slots but a tenth, rounded down. Default: no limit.',
    ),
    queueLength: count(
      'Maximum number of waiting requests; one key may use half of them. Default 1000.',
    ),
    queueMs: integer(
      { minimum: 0, maximum: 86_400_000 },
      'How long, in milliseconds, a request may wait for a slot before the next target is tried; without another target: 503. 0: not at all. Default 5000.',
    ),
    whenFull: choice(
      ['wait', 'next'],
      'How to handle a request when no slot is free and its route has another target. wait (default): it waits. next: it goes to the next target; at the last one it waits.',
    ),
    enabled: flag(
      'false turns the provider off even if its API key is in the environment. Default true.',
    ),
    region: text('The cloud region.'),
    project: text('The cloud project.'),
    location: text('The cloud region, as Google calls it: the same as region.'),
    resource: text('The resource name in the base URL.'),
    apiVersion: text('The version of the API.'),
    storageUri: matching(
      '^gs://.+$',
      'google-vertex: where Veo writes its videos, such as gs://bucket/videos. Default: videos are returned in responses.',
    ),
    package: text('With type ai-sdk: the installed provider package, such as @ai-sdk/mistral.'),
    timeouts,
    unsupported: unsupported(
      'The unsupported setting for targets of this provider. Default: the global setting.',
    ),
  },
  'An upstream provider: one of the catalog by its name, or any other with type and baseUrl.',
)

export type ProviderConfig = Static<typeof provider>

/**
 * What a field of a provider decides: how it is used, where its key is sent (so that whoever changes it must know the key), or
 * the key itself.
 */
export const providerFields: {
  readonly [Field in keyof ProviderConfig]-?: 'use' | 'address' | 'key'
} = {
  kind: 'address',
  type: 'address',
  baseUrl: 'address',
  key: 'key',
  keys: 'key',
  headers: 'address',
  proxy: 'address',
  ca: 'address',
  certificate: 'address',
  certificateKey: 'address',
  http2: 'use',
  models: 'use',
  sharedIds: 'use',
  routingFields: 'use',
  maxConcurrent: 'use',
  queueLength: 'use',
  queueMs: 'use',
  whenFull: 'use',
  enabled: 'use',
  region: 'address',
  project: 'address',
  location: 'address',
  resource: 'address',
  apiVersion: 'address',
  storageUri: 'address',
  package: 'address',
  timeouts: 'use',
  unsupported: 'use',
}
