import { developerAsSystem, maxTokensOnly } from '@sluice/protocols/openai/upstream/quirks.ts'
import { compatible } from './compatible.ts'

export const baichuan = compatible({
  id: 'baichuan',
  name: 'Baichuan',
  baseUrl: 'https://api.baichuan-ai.com/v1',
  environment: ['BAICHUAN_API_KEY'],
  operations: ['chat', 'embed'],
  quirks: [developerAsSystem, maxTokensOnly],
  documentation: 'https://platform.baichuan-ai.com/docs/api',
})
