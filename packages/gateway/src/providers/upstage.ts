import { compatible } from './compatible.ts'

export const upstage = compatible({
  id: 'upstage',
  name: 'Upstage',
  baseUrl: 'https://api.upstage.ai/v1/solar',
  environment: ['UPSTAGE_API_KEY'],
  operations: ['chat', 'embed'],
  documentation: 'https://developers.upstage.ai/docs/apis/chat',
})
