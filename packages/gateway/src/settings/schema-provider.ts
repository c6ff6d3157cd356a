import { Type } from '@sluice/contract'
import type { Static } from 'typebox'
import { proxyPattern } from './proxy-variables.ts'
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
import { unsupportedModes } from './unsupported-mode.ts'

export const timeouts = object(
  {
    connectMs: optional(milliseconds('Time to connect to the upstream.')),
    headersMs: optional(milliseconds('Time from the request to the response headers.')),
    firstTokenMs: optional(milliseconds('Time from the request to the first streamed token.')),
    idleMs: optional(milliseconds('Time between two chunks of a stream.')),
    totalMs: optional(milliseconds('Time for the whole response.')),
  },
  'Timeouts for upstream requests.',
)

export const unsupported = (description: string) =>
  Type.Enum([...unsupportedModes], { ...described(description) })

const providerType = Type.Enum(
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
  described('The protocol of a provider outside the catalogue.'),
)

const providerModel = Type.Union(
  [
    text('A model id, the same for callers and at the upstream.'),
    object(
      {
        id: text('The name that callers use.'),
        upstream: optional(text('The name of the model at the upstream. Default: the id.')),
        pricedAs: optional(
          text(
            'The name under which its price is looked up. Default: the name at the upstream, or the id where that is the name of a deployment or an inference profile.',
          ),
        ),
        inputTokenLimit: optional(count('Maximum number of input tokens.')),
        outputTokenLimit: optional(count('Maximum number of output tokens.')),
        maxConcurrent: optional(
          count(
            'Maximum number of concurrent requests to this model. The limit of the provider also applies.',
          ),
        ),
        operations: optional(
          listOf(
            text('An operation, such as chat or embed.'),
            'Supported operations. Default: all that the provider supports.',
          ),
        ),
      },
      'A model with its properties.',
    ),
  ],
  described('A model id, or a model with its properties.'),
)

export const provider = object(
  {
    kind: optional(
      text(
        'The catalogue provider to start from, such as openai. Default: the name of this provider.',
      ),
    ),
    type: optional(providerType),
    baseUrl: optional(
      Type.String({
        pattern: '^https?://[^\\s]+$',
        ...described('The base URL of the API. Default: that of the catalogue.'),
      }),
    ),
    key: optional(text('The API key, preferably a reference such as ${ACME_API_KEY}.')),
    keys: optional(
      Type.Array(text('An API key.'), {
        minItems: 1,
        ...described('Several API keys, used in turn; a refused key is not used for a while.'),
      }),
    ),
    headers: optional(mapOf(Type.String(), 'Additional headers for every request.')),
    proxy: optional(
      Type.String({
        pattern: `${proxyPattern}|^none$`,
        ...described(
          'The URL of a forward proxy for this provider, such as http://user:password@proxy:3128 (http, https or socks5), or none. Default: that of HTTPS_PROXY or HTTP_PROXY, except for loopback addresses and the hosts in NO_PROXY.',
        ),
      }),
    ),
    ca: optional(
      text(
        'The certificates of authorities that the provider’s server certificate may come from, instead of the usual ones: PEM, or the path of a file.',
      ),
    ),
    certificate: optional(
      text(
        'The client certificate with which the gateway identifies itself, with its chain: PEM, or the path of a file. Needs certificateKey.',
      ),
    ),
    certificateKey: optional(
      text('The private key of the client certificate: PEM, or the path of a file.'),
    ),
    http2: optional(
      Type.Boolean(
        described(
          'Whether HTTP/2 is spoken if the server chooses it. Default false: HTTP/1.1, which costs less and tells a response without a length that was cut from one that is complete. true: for servers that speak nothing else.',
        ),
      ),
    ),
    models: optional(
      listOf(
        providerModel,
        'The models of the provider. Default: the list that the provider returns.',
      ),
    ),
    sharedIds: optional(
      Type.Enum(['refuse', 'allow'], {
        ...described(
          'How to handle ids of conversations, prompts, files, containers, skills, cached contents, vector stores, responses and items in a request that this gateway did not give to the same API key, including all files uploaded elsewhere. refuse (default): 400. allow: they are sent to the provider, whose account all API keys share, unless they belong to another key or were deleted.',
        ),
      }),
    ),
    routingFields: optional(
      Type.Enum(['refuse', 'allow'], {
        ...described(
          'How to handle fields by which the provider itself chooses a model, a fallback or a price, such as models, route, preset or provider, in requests of keys with limited models or a budget. refuse (default): 403. allow: they are sent. Other keys may always send them.',
        ),
      }),
    ),
    maxConcurrent: optional(
      count(
        'Maximum number of concurrent requests of one gateway, including all of its workers, to this provider. Further requests wait, and keys take turns; one key may hold all slots but a tenth, rounded down. Default: no limit.',
      ),
    ),
    queueLength: optional(
      count('Maximum number of waiting requests; one key may use half of them. Default 1000.'),
    ),
    queueMs: optional(
      Type.Integer({
        minimum: 0,
        maximum: 86_400_000,
        ...described(
          'How long, in milliseconds, a request may wait for a slot before the next target is tried; without another target: 503. 0: not at all. Default 5000.',
        ),
      }),
    ),
    whenFull: optional(
      Type.Enum(['wait', 'next'], {
        ...described(
          'How to handle a request when no slot is free and its route has another target. wait (default): it waits. next: it goes to the next target; at the last one it waits.',
        ),
      }),
    ),
    enabled: optional(
      Type.Boolean(
        described(
          'false turns the provider off even if its API key is in the environment. Default true.',
        ),
      ),
    ),
    region: optional(text('The cloud region.')),
    project: optional(text('The cloud project.')),
    location: optional(text('The cloud region, as Google calls it: the same as region.')),
    resource: optional(text('The resource name in the base URL.')),
    apiVersion: optional(text('The version of the API.')),
    storageUri: optional(
      Type.String({
        pattern: '^gs://.+$',
        ...described(
          'google-vertex: where Veo writes its videos, such as gs://bucket/videos. Default: videos are returned in responses.',
        ),
      }),
    ),
    package: optional(
      text('With type ai-sdk: the installed provider package, such as @ai-sdk/mistral.'),
    ),
    timeouts: optional(timeouts),
    unsupported: optional(
      unsupported(
        'The unsupported setting for targets of this provider. Default: the global setting.',
      ),
    ),
  },
  'An upstream provider: one from the catalogue by its name, or any other with type and baseUrl.',
)

export type ProviderConfig = Static<typeof provider>
