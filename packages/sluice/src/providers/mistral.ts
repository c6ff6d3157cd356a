import {
  developerAsSystem,
  maxTokensOnly,
  mistralOrder,
  mistralToolIds,
  noStreamOptions,
  openaiLike,
  renameField,
  requiredAsAny,
  thinkingAsPart,
} from '@sluice/protocols'
import { compatible } from './compatible.ts'

export const mistral = compatible({
  id: 'mistral',
  name: 'Mistral AI',
  protocol: openaiLike({
    chat: {
      // Unknown fields are refused.
      lacks: [
        'logit_bias',
        'logprobs',
        'top_logprobs',
        'verbosity',
        'web_search_options',
        'user',
        'safety_identifier',
        'prompt_cache_key',
        'service_tier',
        'store',
      ],
      knows: ['reasoning_content', 'thinking_parts'],
    },
    moderate: {},
    embed: { lacks: ['dimensions', 'user'] },
    transcribe: { lacks: ['prompt', 'include', 'chunking_strategy'], isJsonOnly: true },
  }),
  baseUrl: 'https://api.mistral.ai/v1',
  environment: ['MISTRAL_API_KEY'],
  operations: ['chat', 'embed', 'moderate', 'transcribe'],
  quirks: [
    developerAsSystem,
    maxTokensOnly,
    mistralToolIds,
    mistralOrder,
    thinkingAsPart,
    requiredAsAny,
    renameField('seed', 'random_seed'),
    noStreamOptions,
  ],
  documentation: 'https://docs.mistral.ai/api',
})
