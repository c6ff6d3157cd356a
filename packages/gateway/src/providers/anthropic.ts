import { anthropic as anthropicProtocol } from '@sluice/protocols/anthropic/index.ts'
import { header, type Provider } from './provider.ts'
import { anthropicRetirements } from './retirements.ts'

export const anthropic: Provider = {
  id: 'anthropic',
  name: 'Anthropic',
  protocol: anthropicProtocol,
  baseUrl: 'https://api.anthropic.com',
  environment: ['ANTHROPIC_API_KEY'],
  credentials: header('x-api-key'),
  headers: { 'anthropic-version': '2023-06-01' },
  routingFields: ['fallbacks', 'fallback_credit_token'],
  retirements: anthropicRetirements,
  documentation: 'https://platform.claude.com/docs/en/api/overview',
}
