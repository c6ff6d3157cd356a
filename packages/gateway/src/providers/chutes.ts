import { compatible } from './compatible.ts'

export const chutes = compatible({
  id: 'chutes',
  name: 'Chutes',
  baseUrl: 'https://llm.chutes.ai/v1',
  environment: ['CHUTES_API_KEY'],
  operations: ['chat', 'complete'],
  documentation: 'https://chutes.ai/docs',
})
