import { openai as openaiProtocol } from '@sluice/protocols'
import { bearer, type Provider } from './provider.ts'

export const openai: Provider = {
  id: 'openai',
  name: 'OpenAI',
  protocol: openaiProtocol,
  baseUrl: 'https://api.openai.com/v1',
  environment: ['OPENAI_API_KEY'],
  credentials: bearer,
  documentation: 'https://platform.openai.com/docs/api-reference',
}
