import { compatible } from './compatible.ts'

export const poe = compatible({
  id: 'poe',
  name: 'Poe',
  baseUrl: 'https://api.poe.com/v1',
  environment: ['POE_API_KEY'],
  documentation: 'https://creator.poe.com/docs/external-applications/openai-compatible-api',
})
