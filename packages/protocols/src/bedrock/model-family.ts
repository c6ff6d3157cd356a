import { claudeModel } from '../families/claude.ts'

/**
 * Who made a Bedrock model, which decides the fields beyond Converse's own. An ARN of an account's own profile or of
 * provisioned throughput does not say; such models count as `unknown`.
 */
type ModelFamily = 'anthropic' | 'nova' | 'openai' | 'mistral' | 'unknown' | 'other'

export function modelFamily(model: string): ModelFamily {
  if (model.includes('anthropic.')) return 'anthropic'
  if (model.includes('amazon.nova')) return 'nova'
  if (model.includes('openai.')) return 'openai'
  if (model.includes('mistral.')) return 'mistral'
  return nameless.test(model) ? 'unknown' : 'other'
}

/** What an account calls a model whose maker its ARN does not say. */
const nameless = /:(application-inference-profile|inference-profile|provisioned-model)\//

/** Whether it goes on with a last message of the assistant's; for the others Converse wants a user's. */
export function takesPrefill(model: string): boolean {
  const family = modelFamily(model)
  return family === 'nova' || (family === 'anthropic' && claudeModel(model).prefill)
}

/** A Nova model that reasons: the second generation and later. */
export function isReasoningNova(model: string): boolean {
  return /amazon\.nova-([2-9]|premier-2)/.test(model)
}
