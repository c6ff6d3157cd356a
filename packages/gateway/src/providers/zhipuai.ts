import { compatible, thinkingSwitch } from './compatible.ts'
import { developerAsSystem, maxTokensOnly } from '@sluice/protocols/openai/upstream/quirks.ts'

export const zhipuai = compatible({
  id: 'zhipuai',
  name: 'Zhipu AI',
  baseUrl: 'https://open.bigmodel.cn/api/paas/v4',
  environment: ['ZHIPU_API_KEY', 'ZHIPUAI_API_KEY'],
  operations: ['chat', 'embed', 'createImage'],
  quirks: [developerAsSystem, maxTokensOnly, thinkingSwitch],
  documentation: 'https://docs.bigmodel.cn/api-reference',
})
