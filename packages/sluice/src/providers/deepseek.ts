import { developerAsSystem, maxTokensOnly, openaiLike, toldSchema } from '@sluice/protocols'
import { compatible } from './compatible.ts'

export const deepseek = compatible({
  id: 'deepseek',
  name: 'DeepSeek',
  protocol: openaiLike({
    chat: {
      lacks: ['logit_bias', 'seed', 'verbosity'],
      knows: ['reasoning_content'],
      effortIn: ['thinking'],
    },
  }),
  baseUrl: 'https://api.deepseek.com/v1',
  environment: ['DEEPSEEK_API_KEY'],
  operations: ['chat'],
  quirks: [developerAsSystem, maxTokensOnly, toldSchema],
  documentation: 'https://api-docs.deepseek.com',
})
