/**
 * The vendor of a Bedrock model, which decides the fields beyond Converse's own. ARNs of application inference profiles and
 * provisioned throughput do not show it; such models are `unknown`.
 */
type ModelFamily = 'anthropic' | 'nova' | 'openai' | 'mistral' | 'unknown' | 'other'

export function modelFamily(model: string): ModelFamily {
  if (model.includes('anthropic.')) return 'anthropic'
  if (model.includes('amazon.nova')) return 'nova'
  if (model.includes('openai.')) return 'openai'
  if (model.includes('mistral.')) return 'mistral'
  return nameless.test(model) ? 'unknown' : 'other'
}

/** ARNs that do not show the vendor. */
const nameless = /:(application-inference-profile|inference-profile|provisioned-model)\//

/** Whether it is a Nova model with reasoning: the second generation and later. */
export function isReasoningNova(model: string): boolean {
  return /amazon\.nova-([2-9]|premier-2)/.test(model)
}
