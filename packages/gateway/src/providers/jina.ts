import { jina as jinaProtocol } from '@sluice/protocols/jina/index.ts'
import { bearer, type Provider } from './provider.ts'

export const jina: Provider = {
  id: 'jina',
  name: 'Jina AI',
  protocol: jinaProtocol,
  baseUrl: 'https://api.jina.ai/v1',
  environment: ['JINA_API_KEY'],
  credentials: bearer,
  models: [
    { id: 'jina-embeddings-v4', inputTokenLimit: 32_768 },
    { id: 'jina-embeddings-v3', inputTokenLimit: 8192 },
    { id: 'jina-reranker-m0' },
    { id: 'jina-reranker-v2-base-multilingual' },
  ],
  documentation: 'https://api.jina.ai/docs',
}
