import { compatible } from './compatible.ts'

export const novita = compatible({
  id: 'novita',
  name: 'Novita AI',
  baseUrl: 'https://api.novita.ai/openai/v1',
  environment: ['NOVITA_API_KEY'],
  operations: ['chat', 'complete', 'embed'],
  documentation: 'https://novita.ai/docs/api-reference/model-apis-llm-create-chat-completion',
})
