import { compatible } from './compatible.ts'

export const inferenceNet = compatible({
  id: 'inference-net',
  name: 'Inference.net',
  baseUrl: 'https://api.inference.net/v1',
  environment: ['INFERENCE_API_KEY'],
  documentation: 'https://docs.inference.net',
})
