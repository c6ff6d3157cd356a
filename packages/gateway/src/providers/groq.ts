import { openaiLike } from '@sluice/protocols/openai/index.ts'
import { developerAsSystem } from '@sluice/protocols/openai/upstream/quirks.ts'
import { compatible } from './compatible.ts'

export const groq = compatible({
  id: 'groq',
  name: 'Groq',
  protocol: openaiLike({
    chat: {
      knows: ['reasoning', 'search_settings'],
      stopsMax: 4,
      // Unknown fields are refused.
      lacks: ['logit_bias', 'logprobs', 'top_logprobs', 'prompt_cache_key', 'safety_identifier'],
    },
    responses: 'without search',
  }),
  baseUrl: 'https://api.groq.com/openai/v1',
  environment: ['GROQ_API_KEY'],
  quirks: [developerAsSystem],
  operations: ['chat', 'transcribe', 'translate', 'speak'],
  routingFields: [],
  documentation: 'https://console.groq.com/docs/api-reference',
})
