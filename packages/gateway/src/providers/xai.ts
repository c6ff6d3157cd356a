import { openaiLike } from '@sluice/protocols/openai/index.ts'
import { developerAsSystem } from '@sluice/protocols/openai/upstream/quirks.ts'
import { excludedDomains } from '@sluice/protocols/openai/upstream/search-quirks.ts'
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
