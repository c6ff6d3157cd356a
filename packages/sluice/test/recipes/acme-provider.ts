import { openai } from '@sluice/protocols/openai/index.ts'
import { bearer, type Provider } from '../../../gateway/src/providers/provider.ts'

export const acme: Provider = {
  id: 'acme',
  name: 'Acme',
  protocol: openai,
  baseUrl: 'https://api.acme.example/v1',
  environment: ['ACME_API_KEY'],
  credentials: bearer,
  documentation: 'https://acme.example/docs/api',
}
