import { openaiLike } from '@sluice/protocols'
import { compatible } from './compatible.ts'

export const groq = compatible({
  id: 'groq',
  name: 'Groq',
  protocol: openaiLike({
    chat: { lacks: ['logit_bias', 'logprobs', 'top_logprobs'] },
    responses: true,
  }),
  baseUrl: 'https://api.groq.com/openai/v1',
  environment: ['GROQ_API_KEY'],
  operations: ['chat', 'transcribe', 'translate', 'speak'],
  documentation: 'https://console.groq.com/docs/api-reference',
})
