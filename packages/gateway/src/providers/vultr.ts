import { compatible } from './compatible.ts'

export const vultr = compatible({
  id: 'vultr',
  name: 'Vultr Serverless Inference',
  baseUrl: 'https://api.vultrinference.com/v1',
  environment: ['VULTR_API_KEY'],
  documentation: 'https://api.vultrinference.com',
})
