import { compatible } from './compatible.ts'

export const deepinfra = compatible({
  id: 'deepinfra',
  name: 'DeepInfra',
  baseUrl: 'https://api.deepinfra.com/v1/openai',
  environment: ['DEEPINFRA_API_KEY', 'DEEPINFRA_TOKEN'],
  operations: ['chat', 'complete', 'embed', 'createImage'],
  documentation: 'https://deepinfra.com/docs/openai_api',
})
