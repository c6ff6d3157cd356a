import { openai as openaiProtocol, openaiResponses } from '@sluice/protocols'
import { bearer, type Provider } from './provider.ts'

export const openai: Provider = {
  id: 'openai',
  name: 'OpenAI',
  protocol: openaiProtocol,
  // These models are only available in the Responses API (OpenAI, models).
  protocolOf: (model) =>
    /^(gpt-[\d.]+(-codex|-pro)|o[13]-pro|o[34](-mini)?-deep-research|codex-mini|computer-use)/.test(
      model,
    )
      ? openaiResponses
      : undefined,
  baseUrl: 'https://api.openai.com/v1',
  environment: ['OPENAI_API_KEY'],
  credentials: bearer,
  documentation: 'https://platform.openai.com/docs/api-reference',
}
