import { compatible } from './compatible.ts'

export const nebius = compatible({
  id: 'nebius',
  name: 'Nebius Token Factory',
  baseUrl: 'https://api.tokenfactory.nebius.com/v1',
  environment: ['NEBIUS_API_KEY'],
  operations: ['chat', 'complete', 'embed', 'createImage'],
  documentation:
    'https://docs.tokenfactory.nebius.com/api-reference/inference/create-chat-completion',
})
