import { developerAsSystem, maxTokensOnly } from '@sluice/protocols/openai/upstream/quirks.ts'
import { compatible } from './compatible.ts'

export const hunyuan = compatible({
  id: 'hunyuan',
  name: 'Tencent Hunyuan',
  baseUrl: 'https://api.hunyuan.cloud.tencent.com/v1',
  environment: ['HUNYUAN_API_KEY'],
  operations: ['chat', 'embed'],
  quirks: [developerAsSystem, maxTokensOnly],
  documentation: 'https://cloud.tencent.com/document/product/1729/111007',
})
