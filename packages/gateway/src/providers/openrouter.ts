import { coherePurposes } from '@sluice/protocols/embed-purpose.ts'
import { openaiLike } from '@sluice/protocols/openai/index.ts'
import { budgetInReasoning } from '@sluice/protocols/openai/upstream/quirks.ts'
import { excludedDomains, searchPlugin } from '@sluice/protocols/openai/upstream/search-quirks.ts'
import { compatible } from './compatible.ts'

export const openrouter = compatible({
  id: 'openrouter',
  name: 'OpenRouter',
  protocol: openaiLike({
    chat: {
      knows: [
        'top_k',
        'thinking_budget',
        'cache_control',
        'reasoning',
        'reasoning_details',
        'video_url',
        'images',
        'search_domains',
      ],
      effortIn: ['reasoning'],
    },
    embed: { purposes: coherePurposes },
    responses: true,
  }),
  baseUrl: 'https://openrouter.ai/api/v1',
  environment: ['OPENROUTER_API_KEY'],
  operations: ['chat', 'complete', 'embed'],
  quirks: [budgetInReasoning, searchPlugin, excludedDomains],
  routingFields: ['models', 'fallbacks', 'route', 'provider', 'preset', 'plugins', 'transforms'],
  documentation: 'https://openrouter.ai/docs/api-reference',
})
