import { compatible } from './compatible.ts'

export const scaleway = compatible({
  id: 'scaleway',
  name: 'Scaleway',
  baseUrl: 'https://api.scaleway.ai/v1',
  environment: ['SCALEWAY_API_KEY', 'SCW_SECRET_KEY'],
  operations: ['chat', 'embed', 'transcribe'],
  documentation: 'https://www.scaleway.com/en/docs/generative-apis',
})
