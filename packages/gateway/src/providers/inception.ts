import { compatible } from './compatible.ts'

export const inception = compatible({
  id: 'inception',
  name: 'Inception',
  baseUrl: 'https://api.inceptionlabs.ai/v1',
  environment: ['INCEPTION_API_KEY'],
  documentation: 'https://docs.inceptionlabs.ai/api-reference/chat/create-a-chat-completion',
})
