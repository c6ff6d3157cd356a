import { openaiLike } from '@sluice/protocols/openai/index.ts'
import { developerAsSystem, maxTokensOnly } from '@sluice/protocols/openai/upstream/quirks.ts'
import { searchDomainFilter } from '@sluice/protocols/openai/upstream/search-quirks.ts'
import { compatible, withoutModelList } from './compatible.ts'

export const perplexity = compatible({
  id: 'perplexity',
  name: 'Perplexity',
  protocol: withoutModelList(
    openaiLike({
      chat: {
        lacks: ['tools', 'tool_choice', 'logit_bias', 'logprobs', 'top_logprobs', 'seed', 'stop'],
        knows: ['top_k', 'search_domains'],
      },
    }),
  ),
  baseUrl: 'https://api.perplexity.ai',
  environment: ['PERPLEXITY_API_KEY'],
  operations: ['chat'],
  models: [
    { id: 'sonar' },
    { id: 'sonar-pro' },
    { id: 'sonar-reasoning-pro' },
    { id: 'sonar-deep-research' },
  ],
  quirks: [developerAsSystem, maxTokensOnly, searchDomainFilter],
  documentation: 'https://docs.perplexity.ai/api-reference',
})
