import { Type } from '@sluice/contract'
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
    connectMs: optional(milliseconds('Connecting to the upstream.')),
    headersMs: optional(milliseconds('From the request to the response headers.')),
    firstTokenMs: optional(milliseconds('From the request to the first streamed token.')),
    idleMs: optional(milliseconds('Between two chunks of a stream.')),
    totalMs: optional(milliseconds('For the whole response.')),
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
  described('The protocol of a provider that is not in the catalogue.'),
)

const providerModel = Type.Union(
  [
    text('A model id, the same for callers and at the upstream.'),
    object(
      {
        id: text('The name that callers use.'),
        upstream: optional(text('The name of the model at the upstream. Default: the id.')),
        inputTokenLimit: optional(count('Maximum number of input tokens.')),
        outputTokenLimit: optional(count('Maximum number of output tokens.')),
        maxConcurrent: optional(
          count('The same as maxConcurrent of its provider, of this model alone; both hold.'),
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
        'The provider of the catalogue to start from, such as openai. Default: the name of this provider.',
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
        ...described('Several API keys, used in turn; a refused key is set aside for a while.'),
      }),
    ),
    headers: optional(mapOf(Type.String(), 'Additional headers for every request.')),
    models: optional(listOf(providerModel, 'Its models. Default: its own model list.')),
    sharedIds: optional(
      Type.Enum(['refuse', 'allow'], {
        ...described(
          'Ids of conversations, prompts, files, containers, skills, cached contents, vector stores, responses and items that a request names and that this gateway did not give to the same API key, among them all files that were uploaded elsewhere. refuse (default): a 400. allow: they go to the provider, whose account all API keys share, unless they are another key’s or were deleted.',
        ),
      }),
    ),
    maxConcurrent: optional(
      count(
        'How many calls of one gateway with all of its workers may be under way here at the same time. Those beyond it wait, and keys take turns; one key may have all places but a tenth, rounded down. Default: no limit.',
      ),
    ),
    queueLength: optional(
      count('How many calls may wait for a place, one key half of them. Default 1000.'),
    ),
    queueMs: optional(
      Type.Integer({
        minimum: 0,
        maximum: 86_400_000,
        ...described(
          'How long a call may wait for a place, before the next target is tried, or where none is left 503. 0: not at all. Default 5000.',
        ),
      }),
    ),
    whenFull: optional(
      Type.Enum(['wait', 'next'], {
        ...described(
          'What a call does while there is no place and its route has another target left. wait (default): it waits. next: it goes to that one; at the last one it waits.',
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
          'google-vertex: where Veo writes its clips, such as gs://bucket/videos. Default: nowhere, clips come inside of answers.',
        ),
      }),
    ),
    package: optional(
      text('With type ai-sdk: the installed provider package, such as @ai-sdk/mistral.'),
    ),
    timeouts: optional(timeouts),
    unsupported: optional(
      unsupported('The same for the targets of this provider. Default: that of all.'),
    ),
  },
  'An upstream provider: one of the catalogue by its name, or any other with type and baseUrl.',
)
