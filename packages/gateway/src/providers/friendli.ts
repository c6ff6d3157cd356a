import { compatible } from './compatible.ts'

export const friendli = compatible({
  id: 'friendli',
  name: 'Friendli',
  baseUrl: 'https://api.friendli.ai/serverless/v1',
  environment: ['FRIENDLI_TOKEN'],
  operations: ['chat', 'complete'],
  documentation: 'https://friendli.ai/docs/openapi/model-apis/chat-completions',
})
