import { claudeModel } from '../families/claude.ts'

/**
 * Who made a Bedrock model, which decides the fields beyond Converse's own. An ARN of an application inference
 * profile does not say; such models count as `unknown`.
 */
type ModelFamily = 'anthropic' | 'nova' | 'openai' | 'mistral' | 'unknown' | 'other'

export function modelFamily(model: string): ModelFamily {
  if (model.includes('anthropic.')) return 'anthropic'
  if (model.includes('amazon.nova')) return 'nova'
  if (model.includes('openai.')) return 'openai'
  if (model.includes('mistral.')) return 'mistral'
  return model.includes(':application-inference-profile/') ? 'unknown' : 'other'
}

/** Whether it goes on with a last message of the assistant's; for the others Converse wants a user's. */
export function takesPrefill(model: string): boolean {
  const family = modelFamily(model)
  return family === 'nova' || (family === 'anthropic' && claudeModel(model).prefill)
}

/** A Nova model that reasons: the second generation and later. */
export function isReasoningNova(model: string): boolean {
  return /amazon\.nova-([2-9]|premier-2)/.test(model)
}
