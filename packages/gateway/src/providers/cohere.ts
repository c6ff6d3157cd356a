import { cohere as cohereProtocol } from '@sluice/protocols/cohere/index.ts'
import { bearer, type Provider } from './provider.ts'

export const cohere: Provider = {
  id: 'cohere',
  name: 'Cohere',
  protocol: cohereProtocol,
  baseUrl: 'https://api.cohere.com',
  environment: ['COHERE_API_KEY', 'CO_API_KEY'],
  credentials: bearer,
  routingFields: [],
  documentation: 'https://docs.cohere.com/reference/about',
}
