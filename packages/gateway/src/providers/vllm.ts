import { localServer } from './compatible.ts'
import { openaiLike } from '@sluice/protocols/openai/index.ts'
import { modelServer } from '@sluice/protocols/openai/upstream/options.ts'
import { readableArguments, systemFirst } from '@sluice/protocols/openai/upstream/quirks.ts'

export const vllm = localServer({
  id: 'vllm',
  name: 'vLLM',
  protocol: openaiLike({
    chat: modelServer,
    rerank: {},
    responses: true,
  }),
  baseUrl: 'http://127.0.0.1:8000/v1',
  operations: ['chat', 'complete', 'embed', 'rerank', 'transcribe', 'translate'],
  quirks: [systemFirst, readableArguments],
  documentation: 'https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html',
})
