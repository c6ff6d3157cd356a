import { developerAsSystem, effortAs, maxTokensOnly } from '@sluice/protocols'
import { compatible } from './compatible.ts'

export const zhipuai = compatible({
  id: 'zhipuai',
  name: 'Zhipu AI',
  baseUrl: 'https://open.bigmodel.cn/api/paas/v4',
  environment: ['ZHIPU_API_KEY', 'ZHIPUAI_API_KEY'],
  operations: ['chat', 'embed', 'createImage'],
  quirks: [
    developerAsSystem,
    maxTokensOnly,
    effortAs((effort) => ({ thinking: { type: effort === 'none' ? 'disabled' : 'enabled' } })),
  ],
  documentation: 'https://docs.bigmodel.cn/api-reference',
})
