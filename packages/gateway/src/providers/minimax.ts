import { compatible } from './compatible.ts'

export const minimax = compatible({
  id: 'minimax',
  name: 'MiniMax',
  baseUrl: 'https://api.minimax.io/v1',
  environment: ['MINIMAX_API_KEY'],
  documentation: 'https://platform.minimax.io/docs/api-reference/text-openai-api',
})
