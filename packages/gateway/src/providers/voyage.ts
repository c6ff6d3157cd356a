import { voyage as voyageProtocol } from '@sluice/protocols/jina/index.ts'
import { bearer, type Provider } from './provider.ts'

export const voyage: Provider = {
  id: 'voyage',
  name: 'Voyage AI',
  protocol: voyageProtocol,
  baseUrl: 'https://api.voyageai.com/v1',
  environment: ['VOYAGE_API_KEY'],
  credentials: bearer,
  models: [
    { id: 'voyage-3.5' },
    { id: 'voyage-3.5-lite' },
    { id: 'voyage-code-3' },
    { id: 'rerank-2.5' },
    { id: 'rerank-2.5-lite' },
  ],
  documentation: 'https://docs.voyageai.com/reference',
}
