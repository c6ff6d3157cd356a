import { compatible } from './compatible.ts'

export const sambanova = compatible({
  id: 'sambanova',
  name: 'SambaNova',
  baseUrl: 'https://api.sambanova.ai/v1',
  environment: ['SAMBANOVA_API_KEY'],
  operations: ['chat', 'embed', 'transcribe'],
  documentation: 'https://docs.sambanova.ai/docs',
})
