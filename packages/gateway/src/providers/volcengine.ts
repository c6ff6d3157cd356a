import { openaiLike } from '@sluice/protocols/openai/index.ts'
import { compatible } from './compatible.ts'

export const volcengine = compatible({
  id: 'volcengine',
  name: 'Volcengine Ark',
  protocol: openaiLike({
    chat: { knows: ['reasoning_content', 'video_url'], effortIn: ['thinking'] },
    responses: true,
  }),
  baseUrl: 'https://ark.cn-beijing.volces.com/api/v3',
  environment: ['ARK_API_KEY'],
  operations: ['chat', 'embed', 'createImage'],
  documentation: 'https://www.volcengine.com/docs/82379/1494384',
})
