import { compatible } from './compatible.ts'

export const baseten = compatible({
  id: 'baseten',
  name: 'Baseten',
  baseUrl: 'https://inference.baseten.co/v1',
  environment: ['BASETEN_API_KEY'],
  documentation: 'https://docs.baseten.co/reference/inference-api/chat-completions',
})
