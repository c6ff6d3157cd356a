import { openaiLike } from '@sluice/protocols/openai/index.ts'
import { compatible } from './compatible.ts'

export const togetherai = compatible({
  id: 'togetherai',
  name: 'Together AI',
  protocol: openaiLike({
    chat: { knows: ['top_k', 'reasoning_content'], effortIn: ['reasoning'] },
    rerank: { form: 'objects' },
  }),
  baseUrl: 'https://api.together.xyz/v1',
  environment: ['TOGETHER_API_KEY', 'TOGETHER_AI_API_KEY'],
  operations: [
    'chat',
    'complete',
    'embed',
    'rerank',
    'createImage',
    'transcribe',
    'translate',
    'speak',
  ],
  documentation: 'https://docs.together.ai/reference',
})
