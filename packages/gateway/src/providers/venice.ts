import { compatible } from './compatible.ts'

export const venice = compatible({
  id: 'venice',
  name: 'Venice',
  baseUrl: 'https://api.venice.ai/api/v1',
  environment: ['VENICE_API_KEY'],
  operations: ['chat', 'embed'],
  documentation: 'https://docs.venice.ai/api-reference',
})
