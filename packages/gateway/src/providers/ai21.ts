import { openaiLike } from '@sluice/protocols/openai/index.ts'
import { developerAsSystem, maxTokensOnly } from '@sluice/protocols/openai/upstream/quirks.ts'
import { compatible, withoutModelList } from './compatible.ts'

export const ai21 = compatible({
  id: 'ai21',
  name: 'AI21 Labs',
  protocol: withoutModelList(openaiLike()),
  baseUrl: 'https://api.ai21.com/studio/v1',
  environment: ['AI21_API_KEY'],
  operations: ['chat'],
  quirks: [developerAsSystem, maxTokensOnly],
  documentation: 'https://docs.ai21.com/reference',
})
