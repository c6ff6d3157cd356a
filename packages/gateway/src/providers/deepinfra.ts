import { openaiLike } from '@sluice/protocols/openai/index.ts'
import { compatible, openModelsChat } from './compatible.ts'

export const deepinfra = compatible({
  id: 'deepinfra',
  name: 'DeepInfra',
  protocol: openaiLike({ chat: openModelsChat, rerank: { form: 'scores' } }),
  baseUrl: 'https://api.deepinfra.com/v1/openai',
  environment: ['DEEPINFRA_API_KEY', 'DEEPINFRA_TOKEN'],
  operations: ['chat', 'complete', 'embed', 'rerank', 'createImage'],
  documentation: 'https://deepinfra.com/docs/openai_api',
})
