import { developerAsSystem, excludedDomains, openaiLike } from '@sluice/protocols'
import { compatible } from './compatible.ts'

export const xai = compatible({
  id: 'xai',
  name: 'xAI',
  telemetryName: 'x_ai',
  protocol: openaiLike({ chat: { lacks: ['logit_bias'] }, responses: true }),
  baseUrl: 'https://api.x.ai/v1',
  environment: ['XAI_API_KEY'],
  quirks: [developerAsSystem, excludedDomains],
  operations: ['chat', 'complete', 'createImage'],
  routingFields: [],
  documentation: 'https://docs.x.ai/docs/api-reference',
})
