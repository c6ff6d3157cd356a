import { openaiLike } from '@sluice/protocols/openai/index.ts'
import { developerAsSystem, maxTokensOnly } from '@sluice/protocols/openai/upstream/quirks.ts'
import { compatible } from './compatible.ts'

export const nvidia = compatible({
  id: 'nvidia',
  name: 'NVIDIA NIM',
  protocol: openaiLike({
    // Unknown fields are refused.
    chat: {
      knows: ['top_k', 'reasoning_content'],
      lacks: ['safety_identifier', 'prompt_cache_key', 'metadata', 'service_tier', 'store'],
    },
    embed: { purposes: { query: 'query', document: 'passage' } },
    rerank: { form: 'nim' },
  }),
  baseUrl: 'https://integrate.api.nvidia.com/v1',
  environment: ['NVIDIA_API_KEY'],
  operations: ['chat', 'embed', 'rerank'],
  quirks: [developerAsSystem, maxTokensOnly],
  documentation: 'https://docs.api.nvidia.com/nim/reference/llm-apis',
})
