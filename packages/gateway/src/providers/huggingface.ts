import { openaiLike } from '@sluice/protocols/openai/index.ts'
import { compatible, openModelsChat } from './compatible.ts'

/** Dedicated endpoints, which run Text Embeddings Inference for embeddings and reranking, are of type `tei`. */
export const huggingface = compatible({
  id: 'huggingface',
  name: 'Hugging Face',
  protocol: openaiLike({ chat: openModelsChat, rerank: { form: 'router' } }),
  baseUrl: 'https://router.huggingface.co/v1',
  ambient: true,
  environment: ['HF_TOKEN', 'HUGGINGFACE_API_KEY'],
  operations: ['chat', 'rerank'],
  documentation: 'https://huggingface.co/docs/inference-providers',
})
