import type { DefaultParameters } from '@sluice/contract'
import { type Defaulted, type Place, placedDefaults, type Places } from '../../placed-defaults.ts'

/** All ways in which clients of chat completions say how much to think. */
const thinking: Place['also'] = [
  ['reasoning_effort'],
  ['thinking_budget'],
  ['reasoning'],
  ['thinking'],
]

/** The canonical names are those of the format; some have an older one beside them. */
const further: Places = {
  max_completion_tokens: { path: ['max_completion_tokens'], also: [['max_tokens']] },
  reasoning_effort: { path: ['reasoning_effort'], also: thinking },
  thinking_budget: { path: ['thinking_budget'], also: thinking },
}

export function chatDefaults(request: unknown, defaults: DefaultParameters): Defaulted {
  const own = Object.keys(defaults).map((name) => [name, { path: [name] }] as const)
  return placedDefaults(request, defaults, { ...Object.fromEntries(own), ...further })
}

/** What a text completion has of a chat's parameters. */
const ofCompletions: Places = {
  temperature: { path: ['temperature'] },
  top_p: { path: ['top_p'] },
  stop: { path: ['stop'] },
  max_completion_tokens: { path: ['max_tokens'] },
  presence_penalty: { path: ['presence_penalty'] },
  frequency_penalty: { path: ['frequency_penalty'] },
  logit_bias: { path: ['logit_bias'] },
  seed: { path: ['seed'] },
  user: { path: ['user'] },
}

export function completionDefaults(request: unknown, defaults: DefaultParameters): Defaulted {
  return placedDefaults(request, defaults, ofCompletions)
}
