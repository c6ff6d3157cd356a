import { openaiResponses as protocol } from '@sluice/protocols/openai/index.ts'
import { bearer, type Provider } from './provider.ts'
import { openaiRetirements } from './retirements.ts'

/** OpenAI with the Responses API also for chat; some of its models support nothing else. */
export const openaiResponses: Provider = {
  id: 'openai-responses',
  name: 'OpenAI Responses',
  telemetryName: 'openai',
  protocol,
  baseUrl: 'https://api.openai.com/v1',
  // OPENAI_API_KEY enables only the provider `openai`.
  environment: ['OPENAI_RESPONSES_API_KEY'],
  credentials: bearer,
  retirements: openaiRetirements,
  documentation: 'https://platform.openai.com/docs/api-reference/responses',
}
