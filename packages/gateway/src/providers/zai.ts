import { developerAsSystem, effortAs, maxTokensOnly } from '@sluice/protocols'
import { compatible } from './compatible.ts'

export const zai = compatible({
  id: 'zai',
  name: 'Z.ai',
  baseUrl: 'https://api.z.ai/api/paas/v4',
  environment: ['ZAI_API_KEY'],
  operations: ['chat'],
  quirks: [
    developerAsSystem,
    maxTokensOnly,
    effortAs((effort) => ({ thinking: { type: effort === 'none' ? 'disabled' : 'enabled' } })),
  ],
  documentation: 'https://docs.z.ai/api-reference',
})
