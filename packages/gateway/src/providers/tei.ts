import { localServer, withoutModelList } from './compatible.ts'
import { openaiLike } from '@sluice/protocols/openai/index.ts'

/** One model per server, at the root: `/rerank`, and OpenAI's embeddings below /v1. At most 32 inputs per call by default. */
export const tei = localServer({
  id: 'tei',
  name: 'Text Embeddings Inference',
  protocol: withoutModelList(
    openaiLike({
      embed: { path: '/v1/embeddings', inputsMax: 32 },
      rerank: { form: 'tei' },
    }),
  ),
  baseUrl: 'http://127.0.0.1:8080',
  operations: ['embed', 'rerank'],
  documentation: 'https://huggingface.co/docs/text-embeddings-inference',
})
