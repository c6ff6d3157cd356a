import { maxTokensOnly, openaiLike, readableArguments, systemFirst } from '@sluice/protocols'
import { compatible } from './compatible.ts'
import { optionalBearer } from './provider.ts'

export const llamacpp = compatible({
  id: 'llamacpp',
  name: 'llama.cpp',
  protocol: openaiLike({ chat: { knows: ['top_k', 'reasoning_content'] }, rerank: {} }),
  baseUrl: 'http://127.0.0.1:8080/v1',
  environment: [],
  credentials: optionalBearer,
  operations: ['chat', 'complete', 'embed', 'rerank'],
  quirks: [systemFirst, readableArguments, maxTokensOnly],
  documentation: 'https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md',
  local: true,
})
