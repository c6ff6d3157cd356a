import { developerAsSystem, openaiLike, searchSettings } from '@sluice/protocols'
import { compatible } from './compatible.ts'

export const groq = compatible({
  id: 'groq',
  name: 'Groq',
  protocol: openaiLike({
    chat: { knows: ['search_domains'], lacks: ['logit_bias', 'logprobs', 'top_logprobs'] },
    responses: 'without search',
  }),
  baseUrl: 'https://api.groq.com/openai/v1',
  environment: ['GROQ_API_KEY'],
  quirks: [developerAsSystem, searchSettings],
  operations: ['chat', 'transcribe', 'translate', 'speak'],
  documentation: 'https://console.groq.com/docs/api-reference',
})
