import { openaiLike } from '@sluice/protocols'
import { compatible, withoutModelList } from './compatible.ts'
import { optionalBearer } from './provider.ts'

/** One model per server, at the root: `/rerank`, and OpenAI's embeddings below /v1. At most 32 inputs per call by default. */
export const tei = compatible({
  id: 'tei',
  name: 'Text Embeddings Inference',
  protocol: withoutModelList(
    openaiLike({
      embed: { path: (usual) => `/v1${usual}`, inputsMax: 32 },
      rerank: { form: 'tei' },
    }),
  ),
  baseUrl: 'http://127.0.0.1:8080',
  environment: [],
  credentials: optionalBearer,
  operations: ['embed', 'rerank'],
  documentation: 'https://huggingface.co/docs/text-embeddings-inference',
  local: true,
})
