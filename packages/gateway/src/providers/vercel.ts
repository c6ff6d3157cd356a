import { openaiLike } from '@sluice/protocols/openai/index.ts'
import { compatible } from './compatible.ts'

export const vercel = compatible({
  id: 'vercel',
  name: 'Vercel AI Gateway',
  protocol: openaiLike({ chat: { effortIn: ['reasoning'] } }),
  baseUrl: 'https://ai-gateway.vercel.sh/v1',
  environment: ['AI_GATEWAY_API_KEY'],
  operations: ['chat', 'embed'],
  quirks: [],
  documentation: 'https://vercel.com/docs/ai-gateway/openai-compat',
})
