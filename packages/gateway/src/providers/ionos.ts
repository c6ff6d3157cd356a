import { compatible } from './compatible.ts'

export const ionos = compatible({
  id: 'ionos',
  name: 'IONOS AI Model Hub',
  baseUrl: 'https://openai.inference.de-txl.ionos.com/v1',
  environment: ['IONOS_API_TOKEN'],
  operations: ['chat', 'embed', 'createImage'],
  documentation: 'https://docs.ionos.com/cloud/ai/ai-model-hub',
})
