import { openaiLike, readableArguments, systemFirst } from '@sluice/protocols'
import { compatible } from './compatible.ts'
import { optionalBearer } from './provider.ts'

export const lmstudio = compatible({
  id: 'lmstudio',
  name: 'LM Studio',
  protocol: openaiLike({ chat: { knows: ['top_k', 'reasoning_content'] }, responses: true }),
  baseUrl: 'http://127.0.0.1:1234/v1',
  environment: [],
  credentials: optionalBearer,
  operations: ['chat', 'complete', 'embed'],
  quirks: [systemFirst, readableArguments],
  documentation: 'https://lmstudio.ai/docs/app/api/endpoints/openai',
  local: true,
})
