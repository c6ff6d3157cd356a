import {
  developerAsSystem,
  maxTokensOnly,
  mistralToolIds,
  openaiLike,
  renameField,
  requiredAsAny,
  withoutHints,
} from '@sluice/protocols'
import { compatible } from './compatible.ts'

export const mistral = compatible({
  id: 'mistral',
  name: 'Mistral AI',
  protocol: openaiLike({
    chat: {
      lacks: ['logit_bias', 'logprobs', 'top_logprobs', 'verbosity', 'web_search_options'],
      knows: [],
    },
    embed: { lacks: ['dimensions'] },
    transcribe: { lacks: ['prompt', 'include', 'chunking_strategy'] },
  }),
  baseUrl: 'https://api.mistral.ai/v1',
  environment: ['MISTRAL_API_KEY'],
  operations: ['chat', 'embed', 'transcribe'],
  quirks: [
    developerAsSystem,
    maxTokensOnly,
    mistralToolIds,
    requiredAsAny,
    renameField('seed', 'random_seed'),
    // An unknown field is an error there.
    withoutHints(
      'user',
      'safety_identifier',
      'prompt_cache_key',
      'stream_options',
      'service_tier',
      'store',
    ),
  ],
  documentation: 'https://docs.mistral.ai/api',
})
