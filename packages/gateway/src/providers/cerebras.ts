import { compatible } from './compatible.ts'

export const cerebras = compatible({
  id: 'cerebras',
  name: 'Cerebras',
  baseUrl: 'https://api.cerebras.ai/v1',
  environment: ['CEREBRAS_API_KEY'],
  operations: ['chat', 'complete'],
  documentation: 'https://inference-docs.cerebras.ai/api-reference',
})
