import { openaiLike, readableArguments, systemFirst } from '@sluice/protocols'
import { compatible } from './compatible.ts'
import { optionalBearer } from './provider.ts'

export const vllm = compatible({
  id: 'vllm',
  name: 'vLLM',
  protocol: openaiLike({
    chat: { knows: ['top_k', 'reasoning_content', 'video_url'] },
    rerank: {},
    responses: true,
  }),
  baseUrl: 'http://127.0.0.1:8000/v1',
  environment: [],
  credentials: optionalBearer,
  operations: ['chat', 'complete', 'embed', 'rerank', 'transcribe', 'translate'],
  quirks: [systemFirst, readableArguments],
  documentation: 'https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html',
  local: true,
})
