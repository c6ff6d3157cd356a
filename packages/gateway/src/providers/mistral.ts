import { openaiLike } from '@sluice/protocols/openai/index.ts'
import { mistralFim } from '@sluice/protocols/openai/upstream/complete.ts'
import { mistralForm } from '@sluice/protocols/openai/upstream/mistral-quirks.ts'
import {
  developerAsSystem,
  maxTokensOnly,
  noStreamOptions,
  renameField,
} from '@sluice/protocols/openai/upstream/quirks.ts'
import { compatible } from './compatible.ts'

const differences = {
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
  ownModerations: true,
  embed: { lacks: ['dimensions', 'user'] },
  transcribe: { lacks: ['prompt', 'include', 'chunking_strategy'], isJsonOnly: true },
} as const

const codestral = openaiLike({ ...differences, complete: mistralFim })

export const mistral = compatible({
  id: 'mistral',
  name: 'Mistral AI',
  telemetryName: 'mistral_ai',
  protocol: openaiLike({ ...differences, complete: false }),
  protocolOf: (model) => (/codestral/.test(model) ? codestral : undefined),
  baseUrl: 'https://api.mistral.ai/v1',
  environment: ['MISTRAL_API_KEY'],
  operations: ['chat', 'complete', 'embed', 'moderate', 'transcribe'],
  quirks: [
    developerAsSystem,
    maxTokensOnly,
    ...mistralForm,
    renameField('seed', 'random_seed', ['chat', 'complete']),
    noStreamOptions,
  ],
  documentation: 'https://docs.mistral.ai/api',
})
