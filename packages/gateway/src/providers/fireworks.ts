import { openaiLike } from '@sluice/protocols/openai/index.ts'
import { systemFirst } from '@sluice/protocols/openai/upstream/quirks.ts'
import { compatible } from './compatible.ts'

export const fireworks = compatible({
  id: 'fireworks',
  name: 'Fireworks AI',
  protocol: openaiLike({
    chat: { knows: ['top_k', 'reasoning_content'], effortIn: ['thinking'] },
    rerank: {},
    responses: true,
  }),
  baseUrl: 'https://api.fireworks.ai/inference/v1',
  environment: ['FIREWORKS_API_KEY'],
  operations: ['chat', 'complete', 'embed', 'rerank'],
  quirks: [systemFirst],
  documentation: 'https://docs.fireworks.ai/api-reference',
})
