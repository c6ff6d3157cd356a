import { developerAsSystem, maxTokensOnly, openaiLike, withoutHints } from '@sluice/protocols'
import { compatible } from './compatible.ts'

export const nvidia = compatible({
  id: 'nvidia',
  name: 'NVIDIA NIM',
  protocol: openaiLike({
    chat: { knows: ['top_k', 'reasoning_content'] },
    embed: { inputType: true },
  }),
  baseUrl: 'https://integrate.api.nvidia.com/v1',
  environment: ['NVIDIA_API_KEY'],
  operations: ['chat', 'embed'],
  // Its schemas are closed: a field it does not know is an error.
  quirks: [
    developerAsSystem,
    maxTokensOnly,
    withoutHints('safety_identifier', 'prompt_cache_key', 'metadata', 'service_tier', 'store'),
  ],
  documentation: 'https://docs.api.nvidia.com/nim/reference/llm-apis',
})
