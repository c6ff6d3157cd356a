import { compatible, thinkingSwitch } from './compatible.ts'
import { developerAsSystem, maxTokensOnly } from '@sluice/protocols/openai/upstream/quirks.ts'

export const zai = compatible({
  id: 'zai',
  name: 'Z.ai',
  baseUrl: 'https://api.z.ai/api/paas/v4',
  environment: ['ZAI_API_KEY'],
  operations: ['chat'],
  quirks: [developerAsSystem, maxTokensOnly, thinkingSwitch],
  documentation: 'https://docs.z.ai/api-reference',
})
