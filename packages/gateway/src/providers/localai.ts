import { maxTokensOnly, openaiLike, readableArguments, systemFirst } from '@sluice/protocols'
import { compatible } from './compatible.ts'
import { optionalBearer } from './provider.ts'

export const localai = compatible({
  id: 'localai',
  name: 'LocalAI',
  protocol: openaiLike({ chat: { knows: ['top_k'] }, rerank: {} }),
  baseUrl: 'http://127.0.0.1:8080/v1',
  environment: [],
  credentials: optionalBearer,
  operations: ['chat', 'complete', 'embed', 'rerank', 'transcribe', 'speak', 'createImage'],
  quirks: [systemFirst, readableArguments, maxTokensOnly],
  documentation: 'https://localai.io/features',
  local: true,
})
