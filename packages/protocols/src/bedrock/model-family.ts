/**
 * The vendor of a Bedrock model, or of one by the name that its maker gives it, which decides the fields beyond Converse's own. ARNs of application inference profiles and
 * provisioned throughput do not show it; such models are `unknown`.
 */
type ModelFamily = 'anthropic' | 'nova' | 'openai' | 'mistral' | 'unknown' | 'other'

export function modelFamily(model: string): ModelFamily {
  if (/anthropic\.|claude/.test(model)) return 'anthropic'
  if (/amazon\.nova|^nova-/.test(model)) return 'nova'
  if (/openai\.|^gpt-/.test(model)) return 'openai'
  if (/mistral\.|^mistral-/.test(model)) return 'mistral'
  return nameless.test(model) ? 'unknown' : 'other'
}

/** ARNs that do not show the vendor. */
const nameless = /:(application-inference-profile|inference-profile|provisioned-model)\//

/** Whether it is a Nova model with reasoning: the second generation and later. */
export function isReasoningNova(model: string): boolean {
  return /(?:amazon\.|^)nova-([2-9]|premier-2)/.test(model)
}
